// SPDX-License-Identifier: Apache-2.0
// Transposing 4-byte elements in tiles of 8 x 8 with AVX2; edges by masks.
#include <immintrin.h>

#include "core/kernels/copy/copy_core.h"

namespace anydim::avx2 {
namespace {

__attribute__((always_inline)) inline void transpose_8x8(__m256* r) {
  __m256 t[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    t[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {  // now 128-bit lane l of r[4i + j] holds column 4l + j of rows 4i .. 4i + 3
    r[4 * i + 0] = _mm256_shuffle_ps(t[4 * i + 0], t[4 * i + 2], 0x44);
    r[4 * i + 1] = _mm256_shuffle_ps(t[4 * i + 0], t[4 * i + 2], 0xee);
    r[4 * i + 2] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0x44);
    r[4 * i + 3] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    t[j] = _mm256_permute2f128_ps(r[j], r[4 + j], 0x20);
    t[4 + j] = _mm256_permute2f128_ps(r[j], r[4 + j], 0x31);
  }
#pragma GCC unroll 8
  for (int j = 0; j < 8; ++j) r[j] = t[j];
}

// One tile at (r, c), cut off at the edges.
inline void tile(const uint32_t* src, int64_t src_step, uint32_t* dst, int64_t dst_step, int64_t rows, int64_t columns, int64_t r,
                 int64_t c) {
  const int nr = static_cast<int>(rows - r < 8 ? rows - r : 8), nc = static_cast<int>(columns - c < 8 ? columns - c : 8);
  const float* s = reinterpret_cast<const float*>(src + r * src_step + c);
  float* d = reinterpret_cast<float*>(dst + c * dst_step + r);
  __m256 v[8];
  if (nr == 8 && nc == 8) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) v[i] = _mm256_loadu_ps(s + i * src_step);
    transpose_8x8(v);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) _mm256_storeu_ps(d + i * dst_step, v[i]);
    return;
  }
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i mr = _mm256_cmpgt_epi32(_mm256_set1_epi32(nr), lane), mc = _mm256_cmpgt_epi32(_mm256_set1_epi32(nc), lane);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) v[i] = i < nr ? _mm256_maskload_ps(s + i * src_step, mc) : _mm256_setzero_ps();
  transpose_8x8(v);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i)
    if (i < nc) _mm256_maskstore_ps(d + i * dst_step, mr, v[i]);
}

// The side whose runs lie farther apart is walked along its runs, 8 of them at a time, in strips that stay in cache: few
// streams, which the prefetcher follows. (64 channels of 160 x 160, AVX-512: 1,104 us tile by tile across all runs, 284 so.)
constexpr int64_t kStrip = 256;

void transpose4(const uint32_t* src, int64_t src_step, uint32_t* dst, int64_t dst_step, int64_t rows, int64_t columns) noexcept {
  if (src_step >= dst_step) {
    for (int64_t strip = 0; strip < columns; strip += kStrip)
      for (int64_t r = 0; r < rows; r += 8)
        for (int64_t c = strip; c < columns && c < strip + kStrip; c += 8) tile(src, src_step, dst, dst_step, rows, columns, r, c);
  } else {
    for (int64_t strip = 0; strip < rows; strip += kStrip)
      for (int64_t c = 0; c < columns; c += 8)
        for (int64_t r = strip; r < rows && r < strip + kStrip; r += 8) tile(src, src_step, dst, dst_step, rows, columns, r, c);
  }
}

// Where the bytes of 16 pixels lie among three vectors of 16 bytes: mask[v][c] takes from vector v those of channel c, in their places;
// its other bytes become 0.
struct PixelMasks {
  alignas(16) int8_t split[3][3][16], join[3][3][16];
};
constexpr PixelMasks pixel_masks() {
  PixelMasks m{};
  for (int v = 0; v < 3; ++v)
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 16; ++i) {
        const int from = 3 * i + c, byte = 16 * v + i;
        m.split[v][c][i] = static_cast<int8_t>(from / 16 == v ? from % 16 : -1);
        m.join[v][c][i] = static_cast<int8_t>(byte % 3 == c ? byte / 3 : -1);
      }
  return m;
}
constexpr PixelMasks kPixelMasks = pixel_masks();

inline __m128i load16(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
inline __m128i taken(__m128i a, const int8_t* mask_a, __m128i b, const int8_t* mask_b, __m128i c, const int8_t* mask_c) {
  return _mm_or_si128(_mm_or_si128(_mm_shuffle_epi8(a, load16(mask_a)), _mm_shuffle_epi8(b, load16(mask_b))),
                      _mm_shuffle_epi8(c, load16(mask_c)));
}

void split_pixels(const uint8_t* src, uint8_t* dst, int64_t dst_step, int64_t pixels) noexcept {
  const auto& m = kPixelMasks.split;
  for (int64_t at = 0; at < pixels; at += 16) {
    const int64_t i = at + 16 <= pixels ? at : pixels - 16;  // the last ones overlap
    const __m128i a = load16(src + 3 * i), b = load16(src + 3 * i + 16), c = load16(src + 3 * i + 32);
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + k * dst_step + i), taken(a, m[0][k], b, m[1][k], c, m[2][k]));
  }
}
void join_pixels(const uint8_t* src, int64_t src_step, uint8_t* dst, int64_t pixels) noexcept {
  const auto& m = kPixelMasks.join;
  for (int64_t at = 0; at < pixels; at += 16) {
    const int64_t i = at + 16 <= pixels ? at : pixels - 16;
    const __m128i a = load16(src + i), b = load16(src + src_step + i), c = load16(src + 2 * src_step + i);
#pragma GCC unroll 3
    for (int v = 0; v < 3; ++v)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + 3 * i + 16 * v), taken(a, m[v][0], b, m[v][1], c, m[v][2]));
  }
}

}  // namespace
}  // namespace anydim::avx2

namespace anydim {

void SplitPixels::avx2(const uint8_t* src, uint8_t* dst, int64_t dst_step, int64_t pixels) noexcept {
  avx2::split_pixels(src, dst, dst_step, pixels);
}
void JoinPixels::avx2(const uint8_t* src, int64_t src_step, uint8_t* dst, int64_t pixels) noexcept {
  avx2::join_pixels(src, src_step, dst, pixels);
}

constinit const CopyCore CopyCore::avx2 = {avx2::transpose4, SplitPixels::avx2, JoinPixels::avx2};

}  // namespace anydim
