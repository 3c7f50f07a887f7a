// SPDX-License-Identifier: Apache-2.0
// Positions and weights of resize; see taps.h. Coordinates are binary64, weights are rounded to E once.
#include "core/kernels/resize/taps.h"

#include <algorithm>
#include <cmath>

#include "core/base/checked.h"

namespace anydim {

namespace {

inline double ceil_above(double c) noexcept { return -floor_below(-c); }

// Keys' cubic convolution (1981), at a distance of `t` right of tap 1, for taps 0..3.
void cubic_weights(double t, double a, double* w) noexcept {
  const double u = t + 1, v = 1 - t, z = v + 1;
  w[0] = ((a * u - 5 * a) * u + 8 * a) * u - 4 * a;
  w[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
  w[2] = ((a + 2) * v - (a + 3)) * v * v + 1;
  w[3] = ((a * z - 5 * a) * z + 8 * a) * z - 4 * a;
}

// Linear and Keys' cubic filter.
double filter(double x, Resize::Mode mode, double a) noexcept {
  x = std::fabs(x);
  if (mode == Resize::Mode::linear) return std::max(1 - x, 0.0);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0.0;
}

}  // namespace

template <class E> ResizeTaps<E> resize_taps(const Resize& op, const Resize::Axis& axis, int64_t x) noexcept {
  const Resize::Attributes& at = op.get();
  ResizeTaps<E> r;
  const double c = op.coordinate(axis, x, &r.outside);
  auto clamp = [&](double place) {
    const auto last = static_cast<double>(axis.in - 1);
    return static_cast<int64_t>(std::max(0.0, std::min(place, last)));
  };
  if (at.mode == Resize::Mode::nearest) {
    double place = 0;
    switch (at.nearest) {
      case Resize::Nearest::round_prefer_floor: place = ceil_above(c - 0.5); break;
      case Resize::Nearest::round_prefer_ceil: place = floor_below(c + 0.5); break;
      case Resize::Nearest::floor: place = floor_below(c); break;
      case Resize::Nearest::ceil: place = ceil_above(c); break;
    }
    r.index[0] = clamp(place);
    return r;
  }
  const double base = floor_below(c), t = c - base;
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
  for (int i = 0; i < taps; ++i) r.weight[i] = static_cast<E>(excluded ? w[i] / sum : w[i]);
  // Linear: one weight is rounded, the other follows from it, so that they add up.
  if (at.mode == Resize::Mode::linear && !excluded) r.weight[0] = E{1} - r.weight[1];
  return r;
}
template ResizeTaps<float> resize_taps<float>(const Resize&, const Resize::Axis&, int64_t) noexcept;
template ResizeTaps<double> resize_taps<double>(const Resize&, const Resize::Axis&, int64_t) noexcept;

int64_t smooth_capacity(int64_t in, int64_t out) noexcept {
  return saturating_add(saturating_add(saturating_mul(in, 8), saturating_mul(out, 4)), 16);
}

SmoothTaps smooth_taps(const Resize& op, const Resize::Axis& axis) noexcept {
  const double scale = std::min(axis.scale, 1.0), reach = op.get().mode == Resize::Mode::linear ? 1 : 2;
  SmoothTaps t;
  t.begin = std::floor(-reach / scale) + 1;
  const double taps = 2 - 2 * t.begin;
  if (taps * static_cast<double>(axis.out) <= static_cast<double>(smooth_capacity(axis.in, axis.out))) t.count = static_cast<int64_t>(taps);
  return t;
}

int64_t smooth_weights(const Resize& op, const Resize::Axis& axis, const SmoothTaps& taps, int64_t x, double* weights,
                       bool* outside) noexcept {
  const Resize::Attributes& at = op.get();
  const double scale = std::min(axis.scale, 1.0), c = op.coordinate(axis, x, outside);
  const double base = ceil_above(c) - 1, ratio = c - base;  // 0 < ratio <= 1
  const auto first = static_cast<int64_t>(base + taps.begin);
  double sum = 0, inside = 0;
  for (int64_t i = 0; i < taps.count; ++i) {
    weights[i] = filter((taps.begin + static_cast<double>(i) - ratio) * scale, at.mode, static_cast<double>(at.cubic_coeff_a));
    sum += weights[i];
  }
  for (int64_t i = 0; i < taps.count; ++i) {
    weights[i] /= sum;
    const int64_t place = first + i;
    if (at.exclude_outside && (place < 0 || place >= axis.in)) weights[i] = 0;
    inside += weights[i];
  }
  for (int64_t i = 0; at.exclude_outside && i < taps.count; ++i) weights[i] /= inside;
  return first;
}

}  // namespace anydim
