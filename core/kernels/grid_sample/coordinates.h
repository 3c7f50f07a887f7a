// SPDX-License-Identifier: Apache-2.0
// Where a point of GridSample reads along an axis, and with which weights: docs/numerics.md section 6 as scalar code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/ops/operators/grid_sample.h"

namespace anydim {

constexpr int kMostGridTaps = 4;

inline int taps_of(GridSample::Mode m) noexcept {
  return m == GridSample::Mode::nearest ? 1 : m == GridSample::Mode::linear ? 2 : kMostGridTaps;
}

// One axis of x: how many elements, and the coordinates between which nothing is padded.
struct GridAxis {
  int64_t size;
  double low, high;

  GridAxis(int64_t n, bool align_corners) noexcept
      : size(n), low(align_corners ? 0.0 : -0.5), high(static_cast<double>(n) - (align_corners ? 1.0 : 0.5)) {}

  // Mirrored at both ends as often as it takes.
  double reflected(double x) const noexcept {
    const double range = high - low;
    if (!(range > 0)) return 0;
    const double beyond = x < low ? low - x : x > high ? x - high : -1;
    if (beyond < 0) return x;
    const double rest = std::fmod(beyond, range);
    const bool turned = std::fmod(std::floor(beyond / range), 2.0) == 0;
    return (x < low) == turned ? low + rest : high - rest;
  }
  float padded(float x, GridSample::Padding padding) const noexcept {
    const double at = static_cast<double>(x);
    if (at >= low && at <= high) return x;
    if (padding == GridSample::Padding::border) return std::clamp(x, 0.f, static_cast<float>(size - 1));
    if (padding == GridSample::Padding::reflection) return static_cast<float>(reflected(at));
    return x;
  }
  // The position that is read for `i`, or -1: a zero.
  int64_t position(double i, GridSample::Padding padding) const noexcept {
    if (size == 0) return -1;
    const auto last = static_cast<double>(size - 1);
    if (padding == GridSample::Padding::zeros) return i >= 0 && i <= last ? static_cast<int64_t>(i) : -1;
    if (padding == GridSample::Padding::reflection) i = reflected(i);
    return static_cast<int64_t>(std::clamp(i, 0.0, last));
  }
};

struct GridTaps {
  int64_t position[kMostGridTaps];
  float weight[kMostGridTaps];
};

inline void cubic_weights(double t, float* to) noexcept {
  constexpr double a = -0.75;
  const double u = t + 1, v = 1 - t, z = 2 - t;
  to[0] = static_cast<float>(((a * u - 5 * a) * u + 8 * a) * u - 4 * a);
  to[1] = static_cast<float>(((a + 2) * t - (a + 3)) * t * t + 1);
  to[2] = static_cast<float>(((a + 2) * v - (a + 3)) * v * v + 1);
  to[3] = static_cast<float>(((a * z - 5 * a) * z + 8 * a) * z - 4 * a);
}

inline GridTaps taps_at(float n, const GridAxis& axis, const GridSampleAttributes& at) noexcept {
  const auto size = static_cast<float>(axis.size);
  float x = at.align_corners ? (n + 1.f) / 2.f * (size - 1.f) : ((n + 1.f) * size - 1.f) / 2.f;
  if (!std::isfinite(x)) x = -2.f;  // outside
  if (at.mode == GridSample::Mode::nearest) x = std::nearbyint(x);
  x = axis.padded(x, at.padding);
  GridTaps taps;
  const float base = std::floor(x), t = x - base;
  const int count = taps_of(at.mode);
  const double first = static_cast<double>(at.mode == GridSample::Mode::nearest ? x : base) - (at.mode == GridSample::Mode::cubic ? 1 : 0);
  for (int i = 0; i < count; ++i) taps.position[i] = axis.position(first + i, at.padding);
  taps.weight[0] = 1.f - t;
  taps.weight[1] = t;
  if (at.mode == GridSample::Mode::cubic) cubic_weights(static_cast<double>(t), taps.weight);
  return taps;
}

}  // namespace anydim
