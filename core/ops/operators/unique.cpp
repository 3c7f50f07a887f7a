// SPDX-License-Identifier: Apache-2.0
// Unique: shape rule.
#include "core/ops/operators/unique.h"

#include "core/ops/check.h"

namespace anydim {

Status Unique::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1).at("unique"));
  if (at_.axis >= in[0].dims.rank) return invalid("unique: x has rank {}; the axis is {}", in[0].dims.rank, at_.axis);
  out[kFirst] = out[kInverse] = out[kCounts] = {DType::i64, {in[0].dims[static_cast<int>(at_.axis)]}};
  out[kCount] = {DType::i64, {}};
  return {};
}

}  // namespace anydim
