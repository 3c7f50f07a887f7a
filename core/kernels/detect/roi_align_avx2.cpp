// SPDX-License-Identifier: Apache-2.0
// RoiAlign's channels with AVX2.
#include "core/kernels/detect/roi_align.h"

namespace anydim {

namespace {
#include "core/kernels/detect/roi_align.inl.h"
}  // namespace

void roi_sum_avx2(const float* const p[4], const float w[4], float* y, int64_t channels) noexcept { roi_sum(p, w, y, channels); }
void roi_largest_avx2(const float* const p[4], const float w[4], float* y, int64_t channels, bool first) noexcept {
  roi_largest(p, w, y, channels, first);
}

}  // namespace anydim
