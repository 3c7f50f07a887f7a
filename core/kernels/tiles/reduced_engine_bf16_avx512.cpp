// SPDX-License-Identifier: Apache-2.0
// The tile engine of math mode reduced in AVX512_BF16. VDPBF16PS continues a chain by two products: that of the upper halves first, then
// that of the lower ones, each with one rounding, denormals flushed. Words of rows k and k + 2 give it the order of chains of even and odd k,
// which is AMX's, too.
#include <cstdint>

#include "core/kernels/simd/avx512.h"
#include "core/kernels/tiles/flushed_denormals.inl.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim::avx512 {
namespace {

constexpr int kReducedRows = 6;

// Rows of four numbers k, k + 1, k + 2, k + 3 lie as k + 2, k, k + 3, k + 1: two words.
using LeftNumber = uint16_t;
constexpr bool kWholeTiles = false;
struct JobState {};
constexpr int kPlace[4] = {1, 3, 0, 2};
using Word [[gnu::may_alias]] = int32_t;

void put_left(uint16_t* row, int64_t at, const float* src, int64_t step, int64_t count) {
  int64_t i = 0;
  const auto single = [&] {
    row[((at + i) & ~INT64_C(3)) + kPlace[(at + i) & 3]] = bf16_bits(src[i]);
    ++i;
  };
  alignas(64) float together[kSumBlock];  // no segment is longer
  if (step != 1) {
    for (int64_t k = 0; k < count; ++k) together[k] = src[k * step];
    src = together;
  }
  const __m512i order = _mm512_broadcast_i32x4(_mm_setr_epi8(4, 5, 0, 1, 6, 7, 2, 3, 12, 13, 8, 9, 14, 15, 10, 11));
  while (i < count && (at + i) % 4 != 0) single();
  for (; i + 32 <= count; i += 32) {
    const __m512bh numbers = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(src + i + 16), _mm512_loadu_ps(src + i));
    _mm512_storeu_si512(row + at + i, _mm512_shuffle_epi8((__m512i)numbers, order));
  }
  for (int64_t n; (n = count - i < 16 ? (count - i) & ~INT64_C(3) : 16) > 0; i += n) {
    const auto lanes = static_cast<__mmask16>((1u << n) - 1);
    const __m256bh numbers = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(lanes, src + i));
    _mm256_mask_storeu_epi16(row + at + i, lanes, _mm256_shuffle_epi8((__m256i)numbers, _mm512_castsi512_si256(order)));
  }
  while (i < count) single();
}

// Words of n neighbours, at any address.
void put_pairs(const float* upper, const float* lower, int64_t n, float* to) {
  alignas(64) static constexpr uint16_t kOrder[32] = {0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                                      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i order = _mm512_load_si512(kOrder);
  for (int64_t i = 0; i < n; i += 16) {
    const auto lanes = static_cast<__mmask16>(n - i < 16 ? (1u << (n - i)) - 1 : 0xffffu);
    const __m512bh both = _mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps(lanes, upper + i), _mm512_maskz_loadu_ps(lanes, lower + i));
    _mm512_mask_storeu_epi32(to + i, lanes, _mm512_permutexvar_epi16(order, (__m512i)both));
  }
}

// Words of columns are made, and turned.
void pack_turned_block(const float* from, int64_t column_stride, int64_t n, int64_t width, float* to) {
  const __m512i order = _mm512_broadcast_i32x4(_mm_setr_epi8(4, 5, 0, 1, 6, 7, 2, 3, 12, 13, 8, 9, 14, 15, 10, 11));
  F32 x[16];
  for (int c = 0; c < 16; ++c) {
    x[c] = F32::zero();
    if (c >= n) continue;
    const float* const p = from + c * column_stride;
    x[c] = {_mm512_castsi512_ps(_mm512_shuffle_epi8((__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(p + 16), _mm512_loadu_ps(p)), order))};
  }
  transpose(x);
  for (int i = 0; i < 16; ++i) x[i].store(to + i * width);
}

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/tiles/reduced_call.inl.h"

namespace anydim::avx512 {
namespace {

// Few rows read words as fast as memory gives them, and do not come back to them: they are asked for two blocks ahead, past L2. (A step of
// a decoder of 83 million weights: 6.4 to 4.7 ms; one or three blocks 5.0, into L1 and L2 6.0.)
constexpr int kStreamedRows = 3, kBlocksAhead = 2;

template <int MR, int NV> __attribute__((noinline)) void sum_tile(const SumCall& c) {
  constexpr int kWidth = NV * 16;
  for (int32_t n = 0; n < c.count; ++n) {
    const uint16_t* left[MR];
#pragma GCC unroll 6
    for (int r = 0; r < MR; ++r) left[r] = c.rows[r] + c.blocks[n].at;
    const uint32_t* b = c.panel + c.blocks[n].id * (kReducedBlock / 2) * kWidth;
    __m512 even[MR][NV], odd[MR][NV];
#pragma GCC unroll 6
    for (int r = 0; r < MR; ++r)
#pragma GCC unroll 2
      for (int j = 0; j < NV; ++j) even[r][j] = odd[r][j] = _mm512_setzero_ps();
#pragma GCC unroll 8
    for (int s = 0; s < kReducedBlock / 4; ++s, b += 2 * kWidth) {
      if constexpr (MR <= kStreamedRows) {
#pragma GCC unroll 4
        for (int j = 0; j < 2 * NV; ++j) __builtin_prefetch(b + 16 * j + kBlocksAhead * (kReducedBlock / 2) * kWidth, 0, 0);
      }
      __m512i w[2][NV];
#pragma GCC unroll 2
      for (int j = 0; j < NV; ++j) {
        w[0][j] = _mm512_loadu_si512(b + 16 * j);
        w[1][j] = _mm512_loadu_si512(b + kWidth + 16 * j);
      }
#pragma GCC unroll 6
      for (int r = 0; r < MR; ++r) {
        const Word* const words = reinterpret_cast<const Word*>(left[r] + 4 * s);
        const __m512i x = _mm512_set1_epi32(words[0]), y = _mm512_set1_epi32(words[1]);
#pragma GCC unroll 2
        for (int j = 0; j < NV; ++j) {
          even[r][j] = _mm512_dpbf16_ps(even[r][j], (__m512bh)x, (__m512bh)w[0][j]);
          odd[r][j] = _mm512_dpbf16_ps(odd[r][j], (__m512bh)y, (__m512bh)w[1][j]);
        }
      }
    }
    const bool first = c.first && n == 0;
#pragma GCC unroll 6
    for (int r = 0; r < MR; ++r) {
#pragma GCC unroll 2
      for (int j = 0; j < NV; ++j) {
        float* const total = c.sums + r * kWidth + 16 * j;
        const __m512 before = first ? _mm512_setzero_ps() : _mm512_load_ps(total);
        _mm512_store_ps(total, _mm512_add_ps(before, _mm512_add_ps(even[r][j], odd[r][j])));
      }
    }
  }
}

inline SumFunction tile_function(int vectors, int rows) { return function_of_rows(vectors, rows); }

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/tiles/reduced_engine.inl.h"

namespace anydim {

constinit const TileEngine ReducedTileEngine::avx512_bf16 = {avx512::kW,           avx512::kW,
                                                             avx512::kReducedRows, avx512::kReducedRows,
                                                             avx512::kReducedRows, avx512::run_reduced,
                                                             avx512::pack_reduced, avx512::run_epilogue,
                                                             MathMode::reduced,    avx512::scratch_bytes,
                                                             avx512::round_left,   sizeof(avx512::LeftNumber)};

}  // namespace anydim
