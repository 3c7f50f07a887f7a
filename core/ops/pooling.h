// SPDX-License-Identifier: Apache-2.0
// Pooling: the maximum or the average over windows of 1 to 3 spatial axes, or over all of them (global).
// Input N, C, spatial...; output 0 the pooled values, output 1 (max only, on request) the winners' positions as i64.
#pragma once

#include "core/ops/convolution.h"  // AutoPad, kMaxSpatial
#include "core/ops/op.h"
#include "core/tensor/dims.h"

namespace anydim {

class Pooling final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::pooling;

  enum class Kind : uint8_t { max, average };

  struct Attributes {
    Kind kind = Kind::max;
    bool global = false;  // the window is the whole plane; what follows is ignored
    int spatial = 2;      // 1..3; for global the input's rank decides
    int64_t kernel[kMaxSpatial] = {1, 1, 1};
    int64_t strides[kMaxSpatial] = {1, 1, 1};
    int64_t dilations[kMaxSpatial] = {1, 1, 1};
    int64_t pads_begin[kMaxSpatial] = {};
    int64_t pads_end[kMaxSpatial] = {};
    AutoPad auto_pad = AutoPad::explicit_;  // same_*: pads follow from the input's dims
    bool ceil_mode = false;
    bool count_include_pad = false;     // average only
    bool indices = false;               // max only: the second output
    bool column_major_indices = false;  // ONNX storage_order = 1
  };
  static Result<OperatorPtr> make(const Attributes& attributes);

  OpKind kind() const noexcept override { return kKind; }
  int output_count() const noexcept override { return at_.indices ? 2 : 1; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

  const Attributes& get() const noexcept { return at_; }

  // The window for actual dims (N, C, spatial...), always as three axes: missing leading ones are 1 wide. This is
  // where global and auto_pad are settled.
  struct Window {
    int64_t in[kMaxSpatial], out[kMaxSpatial], kernel[kMaxSpatial], stride[kMaxSpatial], dilation[kMaxSpatial], pad_begin[kMaxSpatial],
        pad_end[kMaxSpatial];
  };
  Window window(const Dims& in, const Dims& out) const noexcept;

 private:
  explicit Pooling(const Attributes& a) : at_(a) {}
  Attributes at_;
};

}  // namespace anydim
