// SPDX-License-Identifier: Apache-2.0
// Which input positions one output position of an axis reads, and with which weights: the contract's section 6 as code,
// shared by the reference and by the kernels' tables.
#pragma once

#include <cmath>

#include "core/ops/operators/resize.h"

namespace anydim {

constexpr int kMaxTaps = 4;

// std::floor, which is a call where a CPU without SSE4.1 has to be served.
inline double floor_below(double c) noexcept {
  if (!(std::fabs(c) < 0x1p52)) return c;
  const auto whole = static_cast<double>(static_cast<int64_t>(c));
  return whole > c ? whole - 1 : whole == c ? c : whole;
}

// E: what weights are rounded to, float or double.
template <class E> struct ResizeTaps {
  int64_t index[kMaxTaps] = {};  // within 0..in-1
  E weight[kMaxTaps] = {1, 0, 0, 0};
  bool outside = false;  // the answer is extrapolation_value
};

// 1 for nearest, 2 for linear, 4 for cubic.
constexpr int taps_per_axis(Resize::Mode m) noexcept { return m == Resize::Mode::nearest ? 1 : m == Resize::Mode::linear ? 2 : 4; }

// Without antialias.
template <class E> ResizeTaps<E> resize_taps(const Resize& op, const Resize::Axis& axis, int64_t x) noexcept;
extern template ResizeTaps<float> resize_taps<float>(const Resize&, const Resize::Axis&, int64_t) noexcept;
extern template ResizeTaps<double> resize_taps<double>(const Resize&, const Resize::Axis&, int64_t) noexcept;

// With antialias: every position of an axis has as many taps, in a row, some of them outside 0..in-1.
struct SmoothTaps {
  double begin = 0;   // the first one, from the element before the coordinate
  int64_t count = 0;  // 0: more than there is room for
};
SmoothTaps smooth_taps(const Resize& op, const Resize::Axis& axis) noexcept;
// The most taps of all positions of an axis, for any scale that its dims can have; grows with both.
int64_t smooth_capacity(int64_t in, int64_t out) noexcept;
// The weights of position x in binary64; returns its first tap.
int64_t smooth_weights(const Resize& op, const Resize::Axis& axis, const SmoothTaps& taps, int64_t x, double* weights,
                       bool* outside) noexcept;

}  // namespace anydim
