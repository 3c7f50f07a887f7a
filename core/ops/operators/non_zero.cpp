// SPDX-License-Identifier: Apache-2.0
// NonZero: shape rule, and which data makes sense.
#include "core/ops/operators/non_zero.h"

#include "core/ops/check.h"

namespace anydim {

Status NonZero::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1).at("non_zero"));
  int64_t elements;
  if (at_.count.is_number() && all_numbers(in[0].dims) && product(in[0].dims, &elements) && at_.count.number() > elements)
    return invalid("non_zero: count is {}; x has {} elements", at_.count.number(), elements);
  out[0] = {DType::i64, {in[0].dims.rank, at_.count}};
  return {};
}

// As many that are not zero as it is asked for.
ValueRange NonZero::sensible_values(std::span<const Dims>, size_t) const noexcept { return {1, 99}; }

}  // namespace anydim
