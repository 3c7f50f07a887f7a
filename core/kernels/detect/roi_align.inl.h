// SPDX-License-Identifier: Apache-2.0
// The bodies of roi_align.h, plain loops of which compilers make vectors.
#pragma once

#include "core/kernels/detect/roi_align.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

inline float roi_greater(float a, float b) noexcept { return a < b ? b : a; }  // as std::max

void roi_sum(const float* const p[4], const float w[4], float* __restrict y, int64_t channels) noexcept {
  const float *a = p[0], *b = p[1], *c = p[2], *d = p[3];
  const float wa = w[0], wb = w[1], wc = w[2], wd = w[3];
  for (int64_t i = 0; i < channels; ++i) y[i] = y[i] + (((wa * a[i] + wb * b[i]) + wc * c[i]) + wd * d[i]);
}

void roi_largest(const float* const p[4], const float w[4], float* __restrict y, int64_t channels, bool first) noexcept {
  const float *a = p[0], *b = p[1], *c = p[2], *d = p[3];
  const float wa = w[0], wb = w[1], wc = w[2], wd = w[3];
  if (first)
    for (int64_t i = 0; i < channels; ++i) y[i] = roi_greater(roi_greater(roi_greater(wa * a[i], wb * b[i]), wc * c[i]), wd * d[i]);
  else
    for (int64_t i = 0; i < channels; ++i)
      y[i] = roi_greater(y[i], roi_greater(roi_greater(roi_greater(wa * a[i], wb * b[i]), wc * c[i]), wd * d[i]));
}

void roi_cell(const float* p, float* __restrict y, int64_t channels, bool first) noexcept {
  for (int64_t i = 0; i < channels; ++i) y[i] = first | (p[i] > y[i]) | (p[i] != p[i]) ? p[i] : y[i];
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
