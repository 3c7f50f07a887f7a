// SPDX-License-Identifier: Apache-2.0
// What RoiAlign does to channels that lie side by side, in the registers of an instruction set: one sample or cell of each.
#pragma once

#include <cstdint>

namespace anydim {

// y[c] = y[c] + (((w0 * p0[c] + w1 * p1[c]) + w2 * p2[c]) + w3 * p3[c])
struct RoiSum {
  using Function = void(const float* const p[4], const float w[4], float* y, int64_t channels) noexcept;
  static Function avx512, avx2;
};
// y[c] = the largest of the four products, and of y[c] unless this is the first sample
struct RoiLargest {
  using Function = void(const float* const p[4], const float w[4], float* y, int64_t channels, bool first) noexcept;
  static Function avx512, avx2;
};
// MaxRoiPool: y[c] = p[c] if it is greater, a NaN, or the first
struct RoiCell {
  using Function = void(const float* p, float* y, int64_t channels, bool first) noexcept;
  static Function avx512, avx2;
};

}  // namespace anydim
