// SPDX-License-Identifier: Apache-2.0
// StringParse: checks, shape rule, and which data makes sense.
#include "core/ops/operators/string_parse.h"

#include <algorithm>

#include "core/ops/check.h"
#include "core/ops/string_views.h"

namespace anydim {

Status StringParse::normalize(Attributes* a) {
  if (a->to == DType::none || a->to == DType::f16 || a->to == DType::bf16 || dtype_is_narrow(a->to))
    return invalid("string_parse: to is {}; expected f32, f64, bool or integers of 8 to 64 bits", dtype_name(a->to));
  return {};
}

Status StringParse::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 2).at("string_parse"));
  ANYDIM_TRY(check_strings(in, kX).at("string_parse"));
  out[0] = {at_.to, in[kX].dims};
  return {};
}

// Digits, and no empty string.
ValueRange StringParse::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  if (input != kX) return {'0', '9'};
  const ValueRange lengths = sensible_views(in[kHeap]);
  return {1, std::max<int64_t>(lengths.high, 1)};
}

}  // namespace anydim
