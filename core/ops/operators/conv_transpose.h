// SPDX-License-Identifier: Apache-2.0
// Transposed convolution (ONNX ConvTranspose) over 1 to 3 spatial axes: attributes and shape rule.
// Inputs: src N, C, spatial...; weights C, M / group, kernel...; optional bias M. Output: N, M, spatial...
#pragma once

#include "core/ops/operators/convolution.h"
#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class ConvTranspose final : public Described<ConvTranspose, ConvTransposeAttributes> {
 public:
  using Described::Described;
  static Status normalize(Attributes* a);

  bool has_output_shape() const noexcept { return !at_.output_shape.empty(); }
  // Positions cut off before the first output of a spatial axis, for actual sizes: output o is reached from input i
  // through kernel position k where o = i * stride - pad_begin + k * dilation.
  int64_t pad_begin(int axis, int64_t in, int64_t kernel) const noexcept;
  // Residues of an output position modulo the strides, each of which has taps of its own.
  int64_t phases() const noexcept;
  // Products of 8-bit numbers with more phases are not packed; the pass quantized_products leaves them as they are.
  static constexpr int64_t kMostPhasesOfNumbers = 64;

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
};

}  // namespace anydim
