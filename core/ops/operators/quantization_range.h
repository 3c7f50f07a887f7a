// SPDX-License-Identifier: Apache-2.0
// The scale (f32) and the zero point (u8), each one number, with which u8 numbers cover all elements of a tensor and 0: the first half of
// ONNX's DynamicQuantizeLinear. A cast with a quantization is the other.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class QuantizationRange final : public Described<QuantizationRange, QuantizationRangeAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make() { return make(Attributes{}); }
  enum Output : uint8_t { kScale, kZeroPoint, kOutputs };
  int output_count() const noexcept override { return kOutputs; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
