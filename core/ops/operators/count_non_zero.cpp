// SPDX-License-Identifier: Apache-2.0
// CountNonZero: shape rule.
#include "core/ops/operators/count_non_zero.h"

#include "core/ops/check.h"

namespace anydim {

Status CountNonZero::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1).at("count_non_zero"));
  out[0] = {DType::i64, {}};
  return {};
}

}  // namespace anydim
