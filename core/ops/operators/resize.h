// SPDX-License-Identifier: Apache-2.0
// Resize: interpolation to other dims by nearest, linear or cubic, with ONNX's coordinate rules.
// The arithmetic is docs/numerics.md section 6.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"
#include "core/tensor/dims.h"

namespace anydim {

class Resize final : public Described<Resize, ResizeAttributes> {
 public:
  using Described::Described;
  using Mode = ResizeMode;
  using Coordinates = ResizeCoordinates;
  using Nearest = ResizeNearest;
  using AspectPolicy = ResizePolicy;
  static Status normalize(Attributes* a);

  // What maps positions of one axis of the output to the input, for actual dims. An axis with `identity` is copied.
  struct Axis {
    bool identity = true;
    int64_t in = 1, out = 1;
    double scale = 1.0;  // as given, or out / in
    double roi_begin = 0.0, roi_end = 1.0;
  };
  // sizes: dim_attributes() evaluated: sizes, scale_bits and roi_bits (empty with scales).
  Axis axis(int which, const Dims& in, const Dims& out, std::span<const int64_t> sizes) const noexcept;
  // Whether a length that only a run knows can be scaled: by multiples of 1/1024 and ratios of smaller integers.
  static bool scales_symbols(float scale) noexcept;

  // The input coordinate of output position x. `outside`: whether extrapolation_value is the answer.
  double coordinate(const Axis& axis, int64_t x, bool* outside) const noexcept;

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;

 private:
  Dim kept_ratio(DimPool& pool, const SymDims& from, int axis, int listed) const;
};

inline double Resize::coordinate(const Axis& a, int64_t x, bool* outside) const noexcept {
  const auto at = static_cast<double>(x);
  const auto in = static_cast<double>(a.in), out = static_cast<double>(a.out);
  const double exact_out = a.scale * in;  // not rounded to an integer: as ONNX's reference reads
  *outside = false;
  switch (at_.coordinates) {
    case Coordinates::half_pixel: return (at + 0.5) / a.scale - 0.5;
    case Coordinates::half_pixel_symmetric: {
      const double adjustment = out / exact_out, centre = in / 2;
      return centre * (1 - adjustment) + (at + 0.5) / a.scale - 0.5;
    }
    case Coordinates::pytorch_half_pixel: return a.out <= 1 ? 0.0 : (at + 0.5) / a.scale - 0.5;
    case Coordinates::align_corners: return a.out <= 1 ? 0.0 : at * (in - 1) / (out - 1);
    case Coordinates::asymmetric: return at / a.scale;
    case Coordinates::tf_half_pixel_for_nn: return (at + 0.5) / a.scale;
    case Coordinates::tf_crop_and_resize: {
      const double c = a.out <= 1 ? 0.5 * (a.roi_begin + a.roi_end) * (in - 1)
                                  : a.roi_begin * (in - 1) + at * (a.roi_end - a.roi_begin) * (in - 1) / (out - 1);
      *outside = !(c >= 0 && c <= in - 1);  // what is no number, too
      return *outside ? 0.0 : c;
    }
  }
  return 0;
}

}  // namespace anydim
