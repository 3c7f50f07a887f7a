// SPDX-License-Identifier: Apache-2.0
// GatherND: checks and shape rule.
#include "core/ops/operators/gather_nd.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"
#include "core/tensor/dims.h"

namespace anydim {

Status GatherNd::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 2));
  ANYDIM_TRY(check_index_dtype(in[1], 1));
  const SymDims &data = in[0].dims, &indices = in[1].dims;
  ANYDIM_TRY(check_rank(in[1], 1, batch_dims() + 1, kMaxRank));
  const Dim width = indices[indices.rank - 1];
  if (!width.is_number()) return unimplemented("gather_nd with a dynamic last dim of input 1; the output's rank depends on it");
  if (width.number() < 1 || width.number() > data.rank - batch_dims())
    return invalid("input 1's last dim is {}; expected 1 to {}", width.number(), data.rank - batch_dims());
  for (int i = 0; i < batch_dims(); ++i) {
    ANYDIM_TRY(check_same_dim(indices[i], data[i], 1, i));
    ANYDIM_TRY(require_equal(pool, data[i], indices[i], "batch axis {}", i));
  }
  const int from = batch_dims() + static_cast<int>(width.number());
  if (indices.rank - 1 + data.rank - from > kMaxRank)
    return unimplemented("gather_nd to rank {}; expected at most {}", indices.rank - 1 + data.rank - from, kMaxRank);
  SymDims dims;
  for (int i = 0; i < indices.rank - 1; ++i) dims.push_back(indices[i]);
  for (int i = from; i < data.rank; ++i) dims.push_back(data[i]);
  out[0] = {in[0].dtype, dims};
  return {};
}

ValueRange GatherNd::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  return input == 1 ? index_vectors_into(in[0], batch_dims(), in[1]) : ValueRange();
}

}  // namespace anydim
