// SPDX-License-Identifier: Apache-2.0
// The integer engine in AVX2: two products of 16-bit numbers per lane and instruction. Its products of bytes saturate in pairs, so they
// are of no use.
#include <immintrin.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/quantized/int_engine.h"

namespace anydim {
namespace {

#include "core/kernels/simd/avx2.h"

struct Sums {
  static constexpr int kVectors = 2, kWidth = 8, kRows = 6;
  using Number = int16_t;
  using Packed = int16_t;
  static constexpr int32_t kShift = 0, kPackedShift = 0;
  __m256i v;
  static Sums zero() { return {_mm256_setzero_si256()}; }
  static Sums load(const std::byte* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
  static Sums broadcast(const std::byte* p) {
    int32_t x;
    __builtin_memcpy(&x, p, sizeof x);
    return {_mm256_set1_epi32(x)};
  }
  void dot(Sums a, Sums w) { v = _mm256_add_epi32(v, _mm256_madd_epi16(a.v, w.v)); }
  void store(int32_t* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }

  // round(y / scale) + zero for a panel's columns, saturated; NaN gives 0. `scale` may be absent.
  template <class To> static void to_bytes(const float* y, const float* scale, const float* zero, To* out) {
    const __m256 low = _mm256_set1_ps(std::numeric_limits<To>::lowest()), high = _mm256_set1_ps(std::numeric_limits<To>::max());
    __m256i whole[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      __m256 r = _mm256_loadu_ps(y + 8 * i);
      if (scale != nullptr) r = _mm256_div_ps(r, _mm256_loadu_ps(scale + 8 * i));
      r = _mm256_add_ps(_mm256_round_ps(r, _MM_FROUND_CUR_DIRECTION | _MM_FROUND_NO_EXC), _mm256_loadu_ps(zero + 8 * i));
      const __m256i number = _mm256_castps_si256(_mm256_cmp_ps(r, r, _CMP_ORD_Q));
      whole[i] = _mm256_and_si256(_mm256_cvttps_epi32(_mm256_min_ps(_mm256_max_ps(r, low), high)), number);
    }
    const __m256i first = _mm256_packs_epi32(whole[0], whole[1]), second = _mm256_packs_epi32(whole[2], whole[3]);
    const __m256i bytes = std::is_signed_v<To> ? _mm256_packs_epi16(first, second) : _mm256_packus_epi16(first, second);
    // Packed within halves: fours of each vector by turns.
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
  }

  // The two taps of a channel lie side by side, as their numbers do once two lines of taps are interleaved.
  static int64_t depthwise_place(int64_t step, int64_t channel, int64_t tap) { return (step * kIntColumns + channel) * 2 + tap; }
  template <bool Signed> static __m256i wide(__m128i bytes) { return Signed ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes); }
  template <bool Signed>
  static void depthwise(const std::byte* const* taps, int64_t first, int64_t steps, const std::byte* w, int64_t channels, int32_t* to) {
    const auto* weights = reinterpret_cast<const __m256i*>(w);
    __m256i acc[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
    const auto add = [&](int i, __m128i pairs) {
      acc[i] = _mm256_add_epi32(acc[i], _mm256_madd_epi16(wide<Signed>(pairs), _mm256_loadu_si256(weights + i)));
    };
    if (channels >= kIntColumns) {
      for (int64_t s = 0; s < steps; ++s, taps += 2, weights += 4)
#pragma GCC unroll 2
        for (int h = 0; h < 2; ++h) {
          const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(taps[0] + first + 16 * h));
          const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(taps[1] + first + 16 * h));
          add(2 * h, _mm_unpacklo_epi8(a, b));
          add(2 * h + 1, _mm_unpackhi_epi8(a, b));
        }
    } else {
      const auto load = [&](const std::byte* p, int64_t c) {
        if (channels - c >= 8) return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + c));
        uint64_t few = 0;
        __builtin_memcpy(&few, p + c, static_cast<size_t>(channels - c));
        return _mm_cvtsi64_si128(static_cast<int64_t>(few));
      };
      for (int64_t s = 0; s < steps; ++s, taps += 2, weights += 4)
        for (int64_t c = 0; c < channels; c += 8)
          add(static_cast<int>(c / 8), _mm_unpacklo_epi8(load(taps[0] + first, c), load(taps[1] + first, c)));
    }
    for (int i = 0; i < 4; ++i) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to) + i, acc[i]);
  }
};

constexpr auto run_epilogue = run_epilogue_avx2;
#include "core/kernels/quantized/int_tiles.inl.h"

constexpr IntEngine kEngine{"avx2",    Isa::avx2,  kPerStep,    Sums::kShift,  Sums::kPackedShift,
                            run_block, gather_row, pack_panels, pack_depthwise};

}  // namespace

const IntEngine& int_engine_avx2() noexcept { return kEngine; }

}  // namespace anydim
