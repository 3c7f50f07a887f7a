// SPDX-License-Identifier: Apache-2.0
// Transposing 4-byte elements in tiles of 16 x 16 with AVX-512; edges by masks.
#include "core/kernels/copy/copy_core.h"

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

namespace anydim::avx512 {
namespace {

__attribute__((always_inline)) inline void transpose_16x16(__m512i* r) {
  __m512i t[16];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    t[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {  // now 128-bit lane l of r[4i + j] holds column 4l + j of rows 4i .. 4i + 3
    r[4 * i + 0] = _mm512_unpacklo_epi64(t[4 * i + 0], t[4 * i + 2]);
    r[4 * i + 1] = _mm512_unpackhi_epi64(t[4 * i + 0], t[4 * i + 2]);
    r[4 * i + 2] = _mm512_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
    r[4 * i + 3] = _mm512_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
  }
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    t[j] = _mm512_shuffle_i32x4(r[j], r[4 + j], 0x88);
    t[4 + j] = _mm512_shuffle_i32x4(r[8 + j], r[12 + j], 0x88);
    t[8 + j] = _mm512_shuffle_i32x4(r[j], r[4 + j], 0xdd);
    t[12 + j] = _mm512_shuffle_i32x4(r[8 + j], r[12 + j], 0xdd);
  }
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    r[j] = _mm512_shuffle_i32x4(t[j], t[4 + j], 0x88);
    r[8 + j] = _mm512_shuffle_i32x4(t[j], t[4 + j], 0xdd);
    r[4 + j] = _mm512_shuffle_i32x4(t[8 + j], t[12 + j], 0x88);
    r[12 + j] = _mm512_shuffle_i32x4(t[8 + j], t[12 + j], 0xdd);
  }
}

// One tile at (r, c), cut off at the edges.
inline void tile(const uint32_t* src, int64_t src_step, uint32_t* dst, int64_t dst_step, int64_t rows, int64_t columns, int64_t r,
                 int64_t c) {
  const int nr = static_cast<int>(rows - r < 16 ? rows - r : 16), nc = static_cast<int>(columns - c < 16 ? columns - c : 16);
  const uint32_t* s = src + r * src_step + c;
  uint32_t* d = dst + c * dst_step + r;
  __m512i v[16];
  if (nr == 16 && nc == 16) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) v[i] = _mm512_loadu_si512(s + i * src_step);
    transpose_16x16(v);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) _mm512_storeu_si512(d + i * dst_step, v[i]);
    return;
  }
  const auto mr = static_cast<__mmask16>((1u << nr) - 1), mc = static_cast<__mmask16>((1u << nc) - 1);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) v[i] = i < nr ? _mm512_maskz_loadu_epi32(mc, s + i * src_step) : _mm512_setzero_si512();
  transpose_16x16(v);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i)
    if (i < nc) _mm512_mask_storeu_epi32(d + i * dst_step, mr, v[i]);
}

// The side whose runs lie farther apart is walked along its runs, 16 of them at a time, in strips that stay in cache: few
// streams, which the prefetcher follows. (64 channels of 160 x 160, AVX-512: 1,104 us tile by tile across all runs, 284 so.)
constexpr int64_t kStrip = 256;

void transpose4(const uint32_t* src, int64_t src_step, uint32_t* dst, int64_t dst_step, int64_t rows, int64_t columns) noexcept {
  if (src_step >= dst_step) {
    for (int64_t strip = 0; strip < columns; strip += kStrip)
      for (int64_t r = 0; r < rows; r += 16)
        for (int64_t c = strip; c < columns && c < strip + kStrip; c += 16) tile(src, src_step, dst, dst_step, rows, columns, r, c);
  } else {
    for (int64_t strip = 0; strip < rows; strip += kStrip)
      for (int64_t c = 0; c < columns; c += 16)
        for (int64_t r = strip; r < rows && r < strip + kStrip; r += 16) tile(src, src_step, dst, dst_step, rows, columns, r, c);
  }
}

}  // namespace
}  // namespace anydim::avx512

namespace anydim {

constinit const CopyCore CopyCore::avx512 = {avx512::transpose4, SplitPixels::avx2, JoinPixels::avx2};

}  // namespace anydim
