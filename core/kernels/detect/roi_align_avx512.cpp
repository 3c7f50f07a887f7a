// SPDX-License-Identifier: Apache-2.0
// RoiAlign's channels with AVX512.
#include "core/kernels/detect/roi_align.inl.h"

namespace anydim {

void RoiSum::avx512(const float* const p[4], const float w[4], float* y, int64_t channels) noexcept { avx512::roi_sum(p, w, y, channels); }
void RoiLargest::avx512(const float* const p[4], const float w[4], float* y, int64_t channels, bool first) noexcept {
  avx512::roi_largest(p, w, y, channels, first);
}
void RoiCell::avx512(const float* p, float* y, int64_t channels, bool first) noexcept { avx512::roi_cell(p, y, channels, first); }

}  // namespace anydim
