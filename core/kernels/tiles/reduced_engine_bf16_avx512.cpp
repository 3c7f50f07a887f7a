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

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/tiles/reduced_call.inl.h"

namespace anydim::avx512 {
namespace {

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
