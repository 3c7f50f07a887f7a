// SPDX-License-Identifier: Apache-2.0
// The integer engine with AVX-512 VNNI: four products of u8 and i8 per lane and instruction, which wraps and does not saturate.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/simd/avx512.h"

namespace anydim::avx512 {
namespace {

struct Sums {
  static constexpr int kVectors = 2, kWidth = 16, kRows = 12;
  using Value = uint8_t;
  using Packed = int8_t;
  static constexpr int32_t kShift = 128, kPackedShift = 128;
  __m512i v;
  static Sums zero() { return {_mm512_setzero_si512()}; }
  static Sums load(const std::byte* p) { return {_mm512_loadu_si512(p)}; }
  static Sums broadcast(const std::byte* p) {
    int32_t x;
    __builtin_memcpy(&x, p, sizeof x);
    return {_mm512_set1_epi32(x)};
  }
  void dot(Sums a, Sums w) { v = _mm512_dpbusd_epi32(v, a.v, w.v); }
  void store(int32_t* p) const { _mm512_storeu_si512(p, v); }
  static int32_t of_values(const uint8_t* p, int64_t n) {
    __m512i sum = _mm512_setzero_si512();
    for (; n >= 64; p += 64, n -= 64) sum = _mm512_add_epi64(sum, _mm512_sad_epu8(_mm512_loadu_si512(p), _mm512_setzero_si512()));
    const __mmask64 rest = (UINT64_C(1) << n) - 1;
    sum = _mm512_add_epi64(sum, _mm512_sad_epu8(_mm512_maskz_loadu_epi8(rest, p), _mm512_setzero_si512()));
    return static_cast<int32_t>(static_cast<uint32_t>(_mm512_reduce_add_epi64(sum)));
  }

  // 32 channels of four taps are interleaved by two levels of unpacking, which leave channels 16 L + 4 j + i in element i of half L of
  // vector j; weights lie so, and sums are put into order at the end. Vectors of 32 bytes: wider ones are no faster on Zen 4.
  static int64_t depthwise_place(int64_t step, int64_t channel, int64_t tap) {
    const int64_t half = channel / 16, j = channel % 16 / 4, i = channel % 4;
    return step * 128 + (j * 8 + half * 4 + i) * 4 + tap;
  }
  template <bool Signed>
  static void depthwise(const std::byte* const* taps, int64_t first, int64_t steps, const std::byte* w, int64_t channels, int32_t* to) {
    const auto mask = static_cast<__mmask32>(channels >= 32 ? 0xffffffffu : (1u << channels) - 1);
    __m256i acc[4];
    for (__m256i& x : acc) x = _mm256_setzero_si256();
    const __m256i flip = _mm256_set1_epi8(static_cast<char>(0x80));
    for (int64_t s = 0; s < steps; ++s, taps += 4, w += 128) {
      __m256i a[4];
      for (int t = 0; t < 4; ++t) {
        a[t] = _mm256_maskz_loadu_epi8(mask, taps[t] + first);
        if (Signed) a[t] = _mm256_xor_si256(a[t], flip);
      }
      const __m256i low01 = _mm256_unpacklo_epi8(a[0], a[1]), high01 = _mm256_unpackhi_epi8(a[0], a[1]);
      const __m256i low23 = _mm256_unpacklo_epi8(a[2], a[3]), high23 = _mm256_unpackhi_epi8(a[2], a[3]);
      const __m256i x[4] = {_mm256_unpacklo_epi16(low01, low23), _mm256_unpackhi_epi16(low01, low23), _mm256_unpacklo_epi16(high01, high23),
                            _mm256_unpackhi_epi16(high01, high23)};
      for (int j = 0; j < 4; ++j) acc[j] = _mm256_dpbusd_epi32(acc[j], x[j], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w) + j));
    }
    auto* const out = reinterpret_cast<__m256i*>(to);
    _mm256_storeu_si256(out, _mm256_permute2x128_si256(acc[0], acc[1], 0x20));
    _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(acc[2], acc[3], 0x20));
    _mm256_storeu_si256(out + 2, _mm256_permute2x128_si256(acc[0], acc[1], 0x31));
    _mm256_storeu_si256(out + 3, _mm256_permute2x128_si256(acc[2], acc[3], 0x31));
  }
};

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/int_tiles/finish_avx512.inl.h"
#include "core/kernels/int_tiles/tiles.inl.h"

namespace anydim {

constexpr IntEngine kIntEngine = {avx512::kPerStep,   avx512::Sums::kShift, avx512::Sums::kPackedShift, avx512::run_block,
                                  avx512::gather_row, avx512::gather_lines, avx512::sum_rows,           avx512::pack_panels};
constinit const IntEngine IntEngine::avx512_vnni = kIntEngine;

// AMX makes sums in its own way (tiles_amx_avx512.cpp).
constinit const IntEngine IntEngine::amx = [] {
  IntEngine e = kIntEngine;
  e.run = IntRunOfAmx::amx;
  e.even_rows = true;
  e.tile_rows = 32;
  e.block_bytes = 192 << 10;
  return e;
}();
void PackIntDepthwise::avx512_vnni(const IntDepthwisePack& p) noexcept { avx512::pack_depthwise(p); }

}  // namespace anydim
