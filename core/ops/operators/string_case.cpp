// SPDX-License-Identifier: Apache-2.0
// StringCase: shape rule, and which data makes sense.
#include "core/ops/operators/string_case.h"

#include "core/ops/check.h"
#include "core/ops/string_views.h"

namespace anydim {

Status StringCase::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 2).at("string_case"));
  ANYDIM_TRY(check_strings(in, kX).at("string_case"));
  out[0] = in[kX];
  out[1] = {DType::u8, {at_.bytes}};
  return {};
}

ValueRange StringCase::sensible_values(std::span<const Dims> in, size_t input) const noexcept { return sensible_strings(in, input); }

}  // namespace anydim
