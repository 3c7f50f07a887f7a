// SPDX-License-Identifier: Apache-2.0
// What RoiAlign does to channels that lie side by side, in the registers of an instruction set: one sample of each.
#pragma once

#include <cstdint>

namespace anydim {

// y[c] = y[c] + (((w0 * p0[c] + w1 * p1[c]) + w2 * p2[c]) + w3 * p3[c])
using RoiSum = void (*)(const float* const p[4], const float w[4], float* y, int64_t channels) noexcept;
// y[c] = the largest of the four products, and of y[c] unless this is the first sample
using RoiLargest = void (*)(const float* const p[4], const float w[4], float* y, int64_t channels, bool first) noexcept;

void roi_sum_avx2(const float* const p[4], const float w[4], float* y, int64_t channels) noexcept;
void roi_sum_avx512(const float* const p[4], const float w[4], float* y, int64_t channels) noexcept;
void roi_largest_avx2(const float* const p[4], const float w[4], float* y, int64_t channels, bool first) noexcept;
void roi_largest_avx512(const float* const p[4], const float w[4], float* y, int64_t channels, bool first) noexcept;

}  // namespace anydim
