// SPDX-License-Identifier: Apache-2.0
// StringLookup: shape rule, and which data makes sense.
#include "core/ops/operators/string_lookup.h"

#include "core/ops/check.h"
#include "core/ops/string_views.h"

namespace anydim {

Status StringLookup::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 4, 4).at("string_lookup"));
  ANYDIM_TRY(check_strings(in, kX).at("string_lookup"));
  ANYDIM_TRY(check_strings(in, kTable).at("string_lookup"));
  ANYDIM_TRY(check_rank(in[kTable], kTable, 1, 1).at("string_lookup"));
  out[0] = in[kX];
  return {};
}

ValueRange StringLookup::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  return input == kX || input == kTable ? sensible_views(in[input + 1]) : kSensibleBytes;
}

}  // namespace anydim
