// SPDX-License-Identifier: Apache-2.0
// ScatterElements: checks and shape rule.
#include "core/ops/operators/scatter_elements.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"
#include "core/tensor/dims.h"

namespace anydim {

Status ScatterElements::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 3, 3));
  ANYDIM_TRY(check_index_dtype(in[1], 1));
  const SymDims &data = in[0].dims, &indices = in[1].dims, &updates = in[2].dims;
  if (in[2].dtype != in[0].dtype) return invalid("input 2 has dtype {}; input 0 has {}", dtype_name(in[2].dtype), dtype_name(in[0].dtype));
  if (axis() >= data.rank) return invalid("input 0 has rank {}; scatter axis is {}", data.rank, axis());
  ANYDIM_TRY(check_rank(in[1], 1, data.rank, data.rank));
  ANYDIM_TRY(check_rank(in[2], 2, data.rank, data.rank));
  for (int i = 0; i < data.rank; ++i) {
    ANYDIM_TRY(check_same_dim(updates[i], indices[i], 2, i));
    ANYDIM_TRY(require_equal(pool, updates[i], indices[i], "axis {} of updates and indices", i));
    if (i != axis() && data[i].is_number() && indices[i].is_number() && indices[i].number() > data[i].number())
      return invalid("input 1 dim {} is {}; the data has only {}", i, indices[i].number(), data[i].number());
    if (i != axis()) ANYDIM_TRY(require_at_most(pool, indices[i], data[i], "axis {} of the indices", i));
  }
  out[0] = in[0];
  return {};
}

ValueRange ScatterElements::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  return input == 1 && axis() < in[0].rank ? index_into(in[0][axis()]) : ValueRange();
}

}  // namespace anydim
