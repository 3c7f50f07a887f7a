// SPDX-License-Identifier: Apache-2.0
// GridSample with AVX2: the body is points.inl.h.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/grid_sample/points.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx2.h"

inline F32 gather(const float* p, const int32_t* offset) {
  return {_mm256_i32gather_ps(p, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset)), 4)};
}
inline void store_offsets(F32 position, int32_t stride, int32_t* to) {
  const __m256i offset = _mm256_mullo_epi32(_mm256_cvttps_epi32(position.v), _mm256_set1_epi32(stride));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), offset);
}
// The vector type first.
#include "core/kernels/grid_sample/points.inl.h"
}  // namespace

void grid_points_avx2(const GridPointsJob& job, int count) noexcept { grid_points(job, count); }

}  // namespace anydim
