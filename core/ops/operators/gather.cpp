// SPDX-License-Identifier: Apache-2.0
// Gather: checks, shape rule, and which indices make sense.
#include "core/ops/operators/gather.h"

#include "core/ops/check.h"
#include "core/tensor/dims.h"

namespace anydim {

Status Gather::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 2));
  ANYDIM_TRY(check_index_dtype(in[1], 1));
  const SymDims &data = in[0].dims, &indices = in[1].dims;
  if (axis() >= data.rank) return invalid("input 0 has rank {}; gather axis is {}", data.rank, axis());
  if (data.rank - 1 + indices.rank > kMaxRank)
    return unimplemented("gather to rank {}; expected at most {}", data.rank - 1 + indices.rank, kMaxRank);
  SymDims dims;
  for (int i = 0; i < axis(); ++i) dims.push_back(data[i]);
  for (Dim d : indices) dims.push_back(d);
  for (int i = axis() + 1; i < data.rank; ++i) dims.push_back(data[i]);
  out[0] = {in[0].dtype, dims};
  return {};
}

ValueRange Gather::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  return input == 1 && axis() < in[0].rank ? index_into(in[0][axis()]) : ValueRange();
}

}  // namespace anydim
