// SPDX-License-Identifier: Apache-2.0
// GridSample with AVX2: the body is points.inl.h.
#include <cstdint>

#include "core/kernels/grid_sample/points.h"
#include "core/kernels/simd/avx2.h"

namespace anydim::avx2 {
namespace {

inline F32 gather(const float* p, const int32_t* offset) {
  return {_mm256_i32gather_ps(p, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset)), 4)};
}
// The elements at the offsets, and those behind them.
inline void gather_pairs(const float* p, const int32_t* offset, F32* first, F32* second) {
  const auto* pairs = reinterpret_cast<const long long*>(p);
  const __m256 low = _mm256_castsi256_ps(_mm256_i32gather_epi64(pairs, _mm_loadu_si128(reinterpret_cast<const __m128i*>(offset)), 4));
  const __m256 high = _mm256_castsi256_ps(_mm256_i32gather_epi64(pairs, _mm_loadu_si128(reinterpret_cast<const __m128i*>(offset + 4)), 4));
  const auto in_order = [](__m256 v) { return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), 0xD8)); };
  *first = {in_order(_mm256_shuffle_ps(low, high, 0x88))};
  *second = {in_order(_mm256_shuffle_ps(low, high, 0xDD))};
}
inline void store_offsets(F32 position, int32_t stride, int32_t* to) {
  const __m256i offset = _mm256_mullo_epi32(_mm256_cvttps_epi32(position.v), _mm256_set1_epi32(stride));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), offset);
}

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/grid_sample/points.inl.h"

namespace anydim {

void GridPoints::avx2(const GridPointsJob& job, int count) noexcept { avx2::grid_points(job, count); }

}  // namespace anydim
