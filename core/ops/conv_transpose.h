// SPDX-License-Identifier: Apache-2.0
// Transposed convolution (ONNX ConvTranspose) over 1 to 3 spatial axes: attributes and shape rule.
// Inputs: src N, C, spatial...; weights C, M / group, kernel...; optional bias M. Output: N, M, spatial...
#pragma once

#include "core/ops/convolution.h"

namespace anydim {

class ConvTranspose final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::conv_transpose;

  struct Attributes {
    int32_t spatial = 2;
    int64_t strides[kMaxSpatial] = {1, 1, 1};
    int64_t dilations[kMaxSpatial] = {1, 1, 1};
    int64_t pads_begin[kMaxSpatial] = {};  // explicit_ without output_shape only
    int64_t pads_end[kMaxSpatial] = {};
    int64_t output_padding[kMaxSpatial] = {};
    bool has_output_shape = false;  // then the padding follows from it, split as auto_pad says
    int64_t output_shape[kMaxSpatial] = {};
    int64_t group = 1;
    AutoPad auto_pad = AutoPad::explicit_;  // same_*: the output has in * stride positions
  };
  static Result<OperatorPtr> make(const Attributes& attributes);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;
  const Attributes& get() const noexcept { return at_; }

  // Positions cut off before the first output of a spatial axis, for actual sizes: output o is reached from input i
  // through kernel position k where o = i * stride - pad_begin + k * dilation.
  int64_t pad_begin(int axis, int64_t in, int64_t kernel) const noexcept;

  explicit ConvTranspose(const Attributes& a) : at_(a) {}

 private:
  Attributes at_;
};

}  // namespace anydim
