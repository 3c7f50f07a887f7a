// SPDX-License-Identifier: Apache-2.0
// StringMatch: shape rule, and which data makes sense.
#include "core/ops/operators/string_match.h"

#include "core/ops/check.h"
#include "core/ops/string_views.h"

namespace anydim {

Status StringMatch::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 4, 4).at("string_match"));
  ANYDIM_TRY(check_strings(in, kX).at("string_match"));
  ANYDIM_TRY(check_automata(pool, in, kClasses, true).at("string_match"));
  out[0] = {DType::boolean, in[kX].dims};
  return {};
}

ValueRange StringMatch::sensible_values(std::span<const Dims> in, size_t input) const noexcept { return sensible_strings(in, input); }

}  // namespace anydim
