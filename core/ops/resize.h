// SPDX-License-Identifier: Apache-2.0
// Resize: interpolation to other dims by nearest, linear or cubic, with ONNX's coordinate rules.
// The arithmetic is docs/numerics.md section 6; antialias is not here.
#pragma once

#include <vector>

#include "core/ops/op.h"
#include "core/tensor/dims.h"

namespace anydim {

class Resize final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::resize;

  enum class Mode : uint8_t { nearest, linear, cubic };
  enum class Coordinates : uint8_t {
    half_pixel,
    half_pixel_symmetric,
    pytorch_half_pixel,
    align_corners,
    asymmetric,
    tf_half_pixel_for_nn,  // opset 10 and 11
    tf_crop_and_resize,
  };
  enum class Nearest : uint8_t { round_prefer_floor, round_prefer_ceil, floor, ceil };
  enum class AspectPolicy : uint8_t { stretch, not_larger, not_smaller };

  struct Attributes {
    Mode mode = Mode::nearest;
    Coordinates coordinates = Coordinates::half_pixel;
    Nearest nearest = Nearest::round_prefer_floor;
    AspectPolicy policy = AspectPolicy::stretch;  // with sizes only
    bool exclude_outside = false;
    float cubic_coeff_a = -0.75f;
    float extrapolation_value = 0.f;
    std::vector<int> axes;      // those that scales, sizes and roi are about, normalised; empty: all, in order
    std::vector<float> scales;  // one per axis of `axes`; or empty, and then
    std::vector<Dim> sizes;     // one per axis of `axes`
    std::vector<float> roi;     // tf_crop_and_resize: starts, then ends, one per axis of `axes`
  };
  static Result<OperatorPtr> make(Attributes attributes);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  std::span<const Dim> dim_attributes() const noexcept override { return at_.sizes; }
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override;
  void attributes(AttributeSink& sink) const override;

  const Attributes& get() const noexcept { return at_; }

  // What maps positions of one axis of the output to the input, for actual dims. An axis with `identity` is copied.
  struct Axis {
    bool identity = true;
    int64_t in = 1, out = 1;
    double scale = 1.0;  // as given, or out / in
    double roi_begin = 0.0, roi_end = 1.0;
  };
  // sizes: dim_attributes() evaluated (empty with scales).
  Axis axis(int which, const Dims& in, const Dims& out, std::span<const int64_t> sizes) const noexcept;
  // The input coordinate of output position x. `outside` tells that extrapolation_value is the answer.
  double coordinate(const Axis& axis, int64_t x, bool* outside) const noexcept;

 private:
  explicit Resize(Attributes a) : at_(std::move(a)) {}
  Attributes at_;
};

}  // namespace anydim
