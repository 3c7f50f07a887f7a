// SPDX-License-Identifier: Apache-2.0
// GridSample with AVX-512: the body is points.inl.h.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/grid_sample/points.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx512.h"

inline F32 gather(const float* p, const int32_t* offset) { return {_mm512_i32gather_ps(_mm512_loadu_si512(offset), p, 4)}; }
inline void store_offsets(F32 position, int32_t stride, int32_t* to) {
  _mm512_storeu_si512(to, _mm512_mullo_epi32(_mm512_cvttps_epi32(position.v), _mm512_set1_epi32(stride)));
}
// The vector type first.
#include "core/kernels/grid_sample/points.inl.h"
}  // namespace

void grid_points_avx512(const GridPointsJob& job, int count) noexcept { grid_points(job, count); }

}  // namespace anydim
