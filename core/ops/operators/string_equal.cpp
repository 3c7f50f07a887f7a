// SPDX-License-Identifier: Apache-2.0
// StringEqual: shape rule, and which data makes sense.
#include "core/ops/operators/string_equal.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"
#include "core/ops/string_views.h"

namespace anydim {

Status StringEqual::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 4, 4).at("string_equal"));
  ANYDIM_TRY(check_strings(in, kA).at("string_equal"));
  ANYDIM_TRY(check_strings(in, kB).at("string_equal"));
  require_broadcast(pool, in[kA].dims, in[kB].dims);
  out[0].dtype = DType::boolean;
  return broadcast_dims(pool, in[kA].dims, in[kB].dims, &out[0].dims).at("string_equal");
}

ValueRange StringEqual::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  return input == kA || input == kB ? sensible_views(in[input + 1]) : kSensibleBytes;
}

}  // namespace anydim
