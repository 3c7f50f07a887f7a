// SPDX-License-Identifier: Apache-2.0
// GridSample with AVX-512: the body is points.inl.h.
#include <cstdint>

#include "core/kernels/grid_sample/points.h"
#include "core/kernels/simd/avx512.h"

namespace anydim::avx512 {
namespace {

inline F32 gather(const float* p, const int32_t* offset) { return {_mm512_i32gather_ps(_mm512_loadu_si512(offset), p, 4)}; }
// The elements at the offsets, and those behind them.
inline void gather_pairs(const float* p, const int32_t* offset, F32* first, F32* second) {
  const __m512 low = _mm512_castsi512_ps(_mm512_i32gather_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset)), p, 4));
  const __m512 high = _mm512_castsi512_ps(_mm512_i32gather_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset + 8)), p, 4));
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  *first = {_mm512_permutex2var_ps(low, even, high)};
  *second = {_mm512_permutex2var_ps(low, _mm512_add_epi32(even, _mm512_set1_epi32(1)), high)};
}
inline void store_offsets(F32 position, int32_t stride, int32_t* to) {
  _mm512_storeu_si512(to, _mm512_mullo_epi32(_mm512_cvttps_epi32(position.v), _mm512_set1_epi32(stride)));
}

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/grid_sample/points.inl.h"

namespace anydim {

void GridPoints::avx512(const GridPointsJob& job, int count) noexcept { avx512::grid_points(job, count); }

}  // namespace anydim
