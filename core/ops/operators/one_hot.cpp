// SPDX-License-Identifier: Apache-2.0
// OneHot: checks, shape rule, and which indices make sense.
#include "core/ops/operators/one_hot.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"
#include "core/tensor/dims.h"

namespace anydim {

Status OneHot::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 2));
  ANYDIM_TRY(check_rank(in[1], 1, 1, 1));
  ANYDIM_TRY(check_same_dim(in[1].dims[0], 2, 1, 0));
  ANYDIM_TRY(require_equal(pool, in[1].dims[0], 2, "number of values"));
  SymDims dims = in[0].dims;
  if (axis() > dims.rank) return invalid("input 0 has rank {}; one_hot axis is {}", dims.rank, axis());
  if (dims.rank + 1 > kMaxRank) return unimplemented("one_hot to rank {}; expected at most {}", dims.rank + 1, kMaxRank);
  if (at_.depth.is_number() && at_.depth.number() < 0) return invalid("depth is {}; expected at least 0", at_.depth.number());
  dims.insert(axis(), at_.depth);
  out[0] = {in[1].dtype, dims};
  return {};
}

ValueRange OneHot::sensible_values(std::span<const Dims>, size_t input) const noexcept {
  return input == 0 && at_.depth.is_number() ? index_into(at_.depth.number()) : ValueRange();
}

}  // namespace anydim
