// SPDX-License-Identifier: Apache-2.0
// The scale and the zero point of values that are quantized dynamically, from the range of their values. docs/numerics.md, section 1.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/kernels/quantized/convert_rows.h"

namespace anydim {

struct RangeFactors {
  float scale, zero;
};
inline RangeFactors range_factors(const Extremes& e) noexcept {
  const float width = (e.high - e.low) / 255.f;
  const float scale = width == 0.f ? 1.f : width;  // of zeros alone any width works
  const float zero = std::nearbyint(-e.low / scale);
  return {scale, zero > 0.f ? std::min(zero, 255.f) : 0.f};  // NaN gives 0
}

}  // namespace anydim
