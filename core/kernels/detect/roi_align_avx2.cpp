// SPDX-License-Identifier: Apache-2.0
// RoiAlign's channels with AVX2.
#include "core/kernels/detect/roi_align.inl.h"

namespace anydim {

void RoiSum::avx2(const float* const p[4], const float w[4], float* y, int64_t channels) noexcept { avx2::roi_sum(p, w, y, channels); }
void RoiLargest::avx2(const float* const p[4], const float w[4], float* y, int64_t channels, bool first) noexcept {
  avx2::roi_largest(p, w, y, channels, first);
}
void RoiCell::avx2(const float* p, float* y, int64_t channels, bool first) noexcept { avx2::roi_cell(p, y, channels, first); }

}  // namespace anydim
