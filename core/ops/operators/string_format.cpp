// SPDX-License-Identifier: Apache-2.0
// StringFormat: shape rule. Each number has the room of the longest.
#include "core/ops/operators/string_format.h"

#include "core/base/text/number_text.h"
#include "core/ops/check.h"

namespace anydim {

Status StringFormat::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1).at("string_format"));
  const DType t = in[0].dtype;
  if (t != DType::f32 && t != DType::f64 && t != DType::i64 && t != DType::u64)
    return invalid("string_format: input 0 has dtype {}; expected f32, f64, i64 or u64", dtype_name(t));
  out[0] = {DType::i64, in[0].dims};
  Dim bytes = static_cast<int64_t>(dtype_is_float(t) ? kLongestRealText : kLongestIntegerText);
  for (const Dim d : in[0].dims) bytes = pool.mul(bytes, d);
  out[1] = {DType::u8, {bytes}};
  return {};
}

}  // namespace anydim
