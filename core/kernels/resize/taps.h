// SPDX-License-Identifier: Apache-2.0
// Which input positions one output position of an axis reads, and with which weights: the contract's section 6 as code,
// shared by the reference and by the kernels' tables.
#pragma once

#include "core/ops/resize.h"

namespace anydim {

constexpr int kMaxTaps = 4;

struct ResizeTaps {
  int64_t index[kMaxTaps] = {};  // within 0..in-1
  float weight[kMaxTaps] = {1.f, 0.f, 0.f, 0.f};
  bool outside = false;  // the answer is extrapolation_value
};

// 1 for nearest, 2 for linear, 4 for cubic.
constexpr int taps_per_axis(Resize::Mode m) noexcept { return m == Resize::Mode::nearest ? 1 : m == Resize::Mode::linear ? 2 : 4; }

ResizeTaps resize_taps(const Resize& op, const Resize::Axis& axis, int64_t x) noexcept;

}  // namespace anydim
