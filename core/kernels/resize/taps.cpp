// SPDX-License-Identifier: Apache-2.0
// Positions and weights of resize; see taps.h. Coordinates are binary64, weights are rounded to binary32 once.
#include "core/kernels/resize/taps.h"

#include <algorithm>
#include <cmath>

namespace anydim {

namespace {

// Keys' cubic convolution (1981), at a distance of `t` right of tap 1, for taps 0..3.
void cubic_weights(double t, double a, double* w) noexcept {
  const double u = t + 1, v = 1 - t, z = v + 1;
  w[0] = ((a * u - 5 * a) * u + 8 * a) * u - 4 * a;
  w[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
  w[2] = ((a + 2) * v - (a + 3)) * v * v + 1;
  w[3] = ((a * z - 5 * a) * z + 8 * a) * z - 4 * a;
}

}  // namespace

ResizeTaps resize_taps(const Resize& op, const Resize::Axis& axis, int64_t x) noexcept {
  const Resize::Attributes& at = op.get();
  ResizeTaps r;
  const double c = op.coordinate(axis, x, &r.outside);
  auto clamp = [&](double place) {
    const auto last = static_cast<double>(axis.in - 1);
    return static_cast<int64_t>(std::max(0.0, std::min(place, last)));
  };
  if (at.mode == Resize::Mode::nearest) {
    double place = 0;
    switch (at.nearest) {
      case Resize::Nearest::round_prefer_floor: place = std::ceil(c - 0.5); break;
      case Resize::Nearest::round_prefer_ceil: place = std::floor(c + 0.5); break;
      case Resize::Nearest::floor: place = std::floor(c); break;
      case Resize::Nearest::ceil: place = std::ceil(c); break;
    }
    r.index[0] = clamp(place);
    return r;
  }
  const double base = std::floor(c), t = c - base;
  const int taps = taps_per_axis(at.mode), first = at.mode == Resize::Mode::linear ? 0 : -1;
  double w[kMaxTaps] = {1 - t, t, 0, 0};
  if (at.mode == Resize::Mode::cubic) cubic_weights(t, static_cast<double>(at.cubic_coeff_a), w);
  bool excluded = false;
  double sum = 0;
  for (int i = 0; i < taps; ++i) {
    const double place = base + first + i;
    r.index[i] = clamp(place);
    if (at.exclude_outside && (place < 0 || place > static_cast<double>(axis.in - 1))) {
      w[i] = 0;
      excluded = true;
    }
    sum += w[i];
  }
  for (int i = 0; i < taps; ++i) r.weight[i] = static_cast<float>(excluded ? w[i] / sum : w[i]);
  // Linear: one weight is rounded, the other follows from it, so that they add up.
  if (at.mode == Resize::Mode::linear && !excluded) r.weight[0] = 1.f - r.weight[1];
  return r;
}

}  // namespace anydim
