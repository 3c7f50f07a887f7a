// SPDX-License-Identifier: Apache-2.0
// ScatterND: checks and shape rule.
#include "core/ops/operators/scatter_nd.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"
#include "core/tensor/dims.h"

namespace anydim {

Status ScatterNd::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 3, 3));
  ANYDIM_TRY(check_index_dtype(in[1], 1));
  const SymDims &data = in[0].dims, &indices = in[1].dims, &updates = in[2].dims;
  if (in[2].dtype != in[0].dtype) return invalid("input 2 has dtype {}; input 0 has {}", dtype_name(in[2].dtype), dtype_name(in[0].dtype));
  ANYDIM_TRY(check_rank(in[1], 1, 1, kMaxRank));
  const int last = indices.rank - 1;
  if (!indices[last].is_number()) return unimplemented("scatter_nd with a dynamic last dim of input 1");
  const int64_t width = indices[last].number();
  if (width < 1 || width > data.rank) return invalid("input 1's last dim is {}; expected 1 to {}", width, data.rank);
  const int expected = last + data.rank - static_cast<int>(width);
  ANYDIM_TRY(check_rank(in[2], 2, expected, expected));
  for (int i = 0; i < expected; ++i) {
    const Dim want = i < last ? indices[i] : data[i - last + static_cast<int>(width)];
    ANYDIM_TRY(check_same_dim(updates[i], want, 2, i));
    ANYDIM_TRY(require_equal(pool, updates[i], want, "axis {} of the updates", i));
  }
  out[0] = in[0];
  return {};
}

ValueRange ScatterNd::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  return input == 1 ? index_vectors_into(in[0], 0, in[1]) : ValueRange();
}

}  // namespace anydim
