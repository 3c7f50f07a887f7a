// SPDX-License-Identifier: Apache-2.0
// StringConcat: shape rule, and which data makes sense.
#include "core/ops/operators/string_concat.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"
#include "core/ops/string_views.h"

namespace anydim {

Status StringConcat::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 4, 4).at("string_concat"));
  ANYDIM_TRY(check_strings(in, kA).at("string_concat"));
  ANYDIM_TRY(check_strings(in, kB).at("string_concat"));
  require_broadcast(pool, in[kA].dims, in[kB].dims);
  out[0].dtype = DType::i64;
  out[1] = {DType::u8, {at_.bytes}};
  return broadcast_dims(pool, in[kA].dims, in[kB].dims, &out[0].dims).at("string_concat");
}

ValueRange StringConcat::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  return input == kA || input == kB ? sensible_views(in[input + 1]) : kSensibleBytes;
}

}  // namespace anydim
