// SPDX-License-Identifier: Apache-2.0
// The integer engine in AVX2: two products of 16-bit values per lane and instruction. Its products of bytes saturate in pairs, so they
// are of no use.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/simd/avx2.h"

namespace anydim::avx2 {
namespace {

struct Sums {
  static constexpr int kVectors = 2, kWidth = 8, kRows = 6;
  using Value = int16_t;
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
  static int32_t of_values(const int16_t* p, int64_t n) {
    uint32_t sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += static_cast<uint32_t>(static_cast<int32_t>(p[i]));
    return static_cast<int32_t>(sum);
  }

  // The two taps of a channel lie side by side, as their numbers do once two lines of taps are interleaved.
  static int64_t depthwise_place(int64_t step, int64_t channel, int64_t tap) { return (step * kIntColumns + channel) * 2 + tap; }
  template <bool Signed> static __m256i wide(__m128i bytes) { return Signed ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes); }
  // N eights of channels; Few: of the last one only `last`. Its loads are calls, around which sums would leave their registers.
  template <bool Signed, int N, bool Few>
  static void depthwise_eights(const std::byte* const* taps, int64_t first, int64_t steps, const std::byte* w, int64_t last, int32_t* to) {
    const auto* weights = reinterpret_cast<const __m256i*>(w);
    __m256i acc[N];
#pragma GCC unroll 4
    for (int i = 0; i < N; ++i) acc[i] = _mm256_setzero_si256();
    for (int64_t s = 0; s < steps; ++s, taps += 2, weights += 4) {
      const std::byte *a = taps[0] + first, *b = taps[1] + first;
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i, a += 8, b += 8) {
        const bool few = Few && i == N - 1;
        const __m128i pairs = _mm_unpacklo_epi8(few ? load_few(a, last) : _mm_loadl_epi64(reinterpret_cast<const __m128i*>(a)),
                                                few ? load_few(b, last) : _mm_loadl_epi64(reinterpret_cast<const __m128i*>(b)));
        acc[i] = _mm256_add_epi32(acc[i], _mm256_madd_epi16(wide<Signed>(pairs), _mm256_loadu_si256(weights + i)));
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < N; ++i) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to) + i, acc[i]);
  }
  static __m128i load_few(const std::byte* p, int64_t n) {
    uint64_t few = 0;
    __builtin_memcpy(&few, p, static_cast<size_t>(n));
    return _mm_cvtsi64_si128(static_cast<int64_t>(few));
  }
  template <bool Signed>
  static void depthwise(const std::byte* const* taps, int64_t first, int64_t steps, const std::byte* w, int64_t channels, int32_t* to) {
    const int64_t eights = (channels + 7) / 8, last = channels - 8 * (eights - 1);
    using Function = void (*)(const std::byte* const*, int64_t, int64_t, const std::byte*, int64_t, int32_t*);
    static constexpr Function list[2][4] = {{depthwise_eights<Signed, 1, false>, depthwise_eights<Signed, 2, false>,
                                             depthwise_eights<Signed, 3, false>, depthwise_eights<Signed, 4, false>},
                                            {depthwise_eights<Signed, 1, true>, depthwise_eights<Signed, 2, true>,
                                             depthwise_eights<Signed, 3, true>, depthwise_eights<Signed, 4, true>}};
    list[last < 8][eights - 1](taps, first, steps, w, last, to);
  }
};

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/int_tiles/finish_avx2.inl.h"
#include "core/kernels/int_tiles/tiles.inl.h"

namespace anydim {

constinit const IntEngine IntEngine::avx2 = {avx2::kPerStep,   avx2::Sums::kShift, avx2::Sums::kPackedShift, avx2::run_block,
                                             avx2::gather_row, avx2::gather_lines, avx2::sum_rows,           avx2::pack_panels};
void PackIntDepthwise::avx2(const IntDepthwisePack& p) noexcept { avx2::pack_depthwise(p); }

}  // namespace anydim
