// SPDX-License-Identifier: Apache-2.0
// GatherElements: checks and shape rule.
#include "core/ops/operators/gather_elements.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"
#include "core/tensor/dims.h"

namespace anydim {

Status GatherElements::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 2));
  ANYDIM_TRY(check_index_dtype(in[1], 1));
  const SymDims &data = in[0].dims, &indices = in[1].dims;
  if (axis() >= data.rank) return invalid("input 0 has rank {}; gather axis is {}", data.rank, axis());
  ANYDIM_TRY(check_rank(in[1], 1, data.rank, data.rank));
  for (int i = 0; i < data.rank; ++i)
    if (i != axis() && data[i].is_number() && indices[i].is_number() && indices[i].number() > data[i].number())
      return invalid("input 1 dim {} is {}; the data has only {}", i, indices[i].number(), data[i].number());
  for (int i = 0; i < data.rank; ++i)
    if (i != axis()) ANYDIM_TRY(require_at_most(pool, indices[i], data[i], "axis {} of the indices", i));
  out[0] = {in[0].dtype, indices};
  return {};
}

ValueRange GatherElements::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  return input == 1 && axis() < in[0].rank ? index_into(in[0][axis()]) : ValueRange();
}

}  // namespace anydim
