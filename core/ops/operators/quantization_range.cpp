// SPDX-License-Identifier: Apache-2.0
// QuantizationRange: shape rule.
#include "core/ops/operators/quantization_range.h"

#include "core/ops/check.h"

namespace anydim {

Status QuantizationRange::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1).at("quantization_range"));
  if (in[0].dtype != DType::f32) return invalid("quantization_range: input 0 has dtype {}; expected f32", dtype_name(in[0].dtype));
  out[kScale] = {DType::f32, {}};
  out[kZeroPoint] = {DType::u8, {}};
  return {};
}

}  // namespace anydim
