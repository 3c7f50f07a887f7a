// SPDX-License-Identifier: Apache-2.0
// The body of int_depthwise_lines.h with AVX2: a step is two numbers of 16 bits, whose products no instruction saturates. Sums of eight
// positions stay in registers, a vector of channels at a time, so that an entry is loaded once for all steps that read it.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/kernels/quantized/int_depthwise_lines.h"

namespace anydim {
namespace {

#include "core/kernels/quantized/store_bytes_avx2.inl.h"

constexpr int kPositions = 8;
constexpr bool kSumsInMemory = true;
struct KernelRows;

struct Pairs {
  static constexpr int64_t kBytes = 32, kTaps = 2;
  using Whole = __m256i;
  using Real = __m256;
  using Mask = int64_t;  // how many
  static Mask mask(int64_t n) { return n < kBytes ? n : kBytes; }
  static Whole load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  // From 8 bytes on by two loads that overlap.
  static Whole load(const void* p, Mask n) {
    if (n == kBytes) return load(p);
    const auto* const from = static_cast<const std::byte*>(p);
    if (n >= 16) {
      alignas(16) static constexpr int8_t kMoved[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
      const __m128i end = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + n - 16));
      const __m128i rest = _mm_shuffle_epi8(end, _mm_loadu_si128(reinterpret_cast<const __m128i*>(kMoved + 32 - n)));
      return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))), rest, 1);
    }
    return _mm256_castsi128_si256(part(from, n));
  }
  // Parts of 16 bytes, the first n.
  static __m128i part(const std::byte* from, int64_t n) {
    if (n >= 16) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    uint64_t low = 0, high = 0;
    if (n >= 8) {
      __builtin_memcpy(&low, from, 8);
      __builtin_memcpy(&high, from + n - 8, 8);
      high = n == 8 ? 0 : high >> 8 * (16 - n);
    } else {
      for (int64_t i = 0; i < n; ++i) low |= static_cast<uint64_t>(from[i]) << 8 * i;
    }
    return _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low));
  }
  static __m128i part_of(Whole v) { return _mm256_castsi256_si128(v); }
  static Whole joined(__m128i a, __m128i b) { return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1); }
  static Whole swapped(Whole v) { return _mm256_permute2x128_si256(v, v, 1); }
  static void store(void* p, Whole v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
  static void store(void* p, Whole v, Mask n) { store_bytes(v, n, static_cast<std::byte*>(p)); }
  static void store_few(void* p, Whole v, int64_t n) {
    alignas(32) int32_t few[8];
    store(few, v);
    for (int64_t i = 0; i < n; ++i) static_cast<int32_t*>(p)[i] = few[i];
  }
  static Real reals(const float* p) { return _mm256_loadu_ps(p); }
  static Whole bytes(uint8_t x) { return _mm256_set1_epi8(static_cast<char>(x)); }

  struct Position {
    Whole low, high;  // of 16 bits: channels 0 to 7 and 8 to 15 of each part
  };
  static Position position(Whole v, bool is_signed) {
    const Whole zero = _mm256_setzero_si256(), above = is_signed ? _mm256_cmpgt_epi8(zero, v) : zero;
    return {_mm256_unpacklo_epi8(v, above), _mm256_unpackhi_epi8(v, above)};
  }
  static void put(std::byte* to, const Position (&x)[kTaps]) {
    store(to, _mm256_unpacklo_epi16(x[0].low, x[1].low));
    store(to + kBytes, _mm256_unpackhi_epi16(x[0].low, x[1].low));
    store(to + 2 * kBytes, _mm256_unpacklo_epi16(x[0].high, x[1].high));
    store(to + 3 * kBytes, _mm256_unpackhi_epi16(x[0].high, x[1].high));
  }

  static Whole dot(Whole acc, Whole a, Whole w) { return _mm256_add_epi32(acc, _mm256_madd_epi16(a, w)); }
  static Whole zero() { return _mm256_setzero_si256(); }
  static Whole words(uint32_t x) { return _mm256_set1_epi32(static_cast<int32_t>(x)); }
  static Whole add(Whole a, Whole b) { return _mm256_add_epi32(a, b); }
  static Whole most(Whole a, Whole b) { return _mm256_max_epi32(a, b); }
  static Real real(Whole v) { return _mm256_cvtepi32_ps(v); }
  static Whole whole(Real v) { return _mm256_cvtps_epi32(v); }
  static Real mul(Real a, Real b) { return _mm256_mul_ps(a, b); }
  static Real add(Real a, Real b) { return _mm256_add_ps(a, b); }
  static Real div(Real a, Real b) { return _mm256_div_ps(a, b); }
  static Real mul_add(Real a, Real b, Real c) { return _mm256_fmadd_ps(a, b, c); }
  static Real greater(Real a, Real b) { return _mm256_max_ps(a, b); }
  static Real zero_real() { return _mm256_setzero_ps(); }
  static Real set(float x) { return _mm256_set1_ps(x); }
  static Real lesser(Real a, Real b) { return _mm256_min_ps(a, b); }
  static Whole bits(Real v) { return _mm256_castps_si256(v); }
  static Whole pack32(Whole a, Whole b) { return _mm256_packs_epi32(a, b); }
  static Whole packs16(Whole a, Whole b) { return _mm256_packs_epi16(a, b); }
  static Whole packus16(Whole a, Whole b) { return _mm256_packus_epi16(a, b); }
  // A quick_number() of vectors_avx512.inl.h: a lane whose low bits were all 0 once is in doubt.
  using Lanes = __m256i;
  static Lanes all_lanes() { return _mm256_set1_epi32(-1); }
  static bool doubtful(Lanes clear) {
    const __m256i none = _mm256_cmpeq_epi32(clear, _mm256_setzero_si256());
    return _mm256_testz_si256(none, none) == 0;
  }
  static Whole quick_number(Whole q, Lanes* clear) {
    *clear = _mm256_min_epu32(*clear, _mm256_and_si256(q, words((1u << 14) - 4)));
    return _mm256_srai_epi32(q, 14);
  }
  static void put_in_order(Whole (&v)[kLineVectors]) {
    const Whole low01 = _mm256_permute2x128_si256(v[0], v[1], 0x20), high01 = _mm256_permute2x128_si256(v[0], v[1], 0x31);
    const Whole low23 = _mm256_permute2x128_si256(v[2], v[3], 0x20), high23 = _mm256_permute2x128_si256(v[2], v[3], 0x31);
    v[0] = low01, v[1] = low23, v[2] = high01, v[3] = high23;
  }

  // Of the vectors that have channels; what is left of `to` stays.
  static void sums(const DepthwiseLines& j, const KernelRows& rows, int64_t x, int32_t* to);
};

#include "core/kernels/quantized/int_depthwise_lines.inl.h"

// Rows of kSteps steps whose entries are kApart apart; 0: of any.
template <int kSteps, int kApart>
__attribute__((noinline)) void sums_of_eight(const DepthwiseLines& j, const KernelRows& rows, int64_t x, int32_t* to) {
  constexpr int64_t kEntry = kLineVectors * Pairs::kBytes;
  const int64_t vectors = j.channels >= 16 ? kLineVectors : (j.channels + 3) / 4;
  for (int64_t v = 0; v < vectors; ++v) {
    __m256i acc[kPositions];
#pragma GCC unroll 8
    for (auto& sum : acc) sum = Pairs::load(rows.first + 8 * v);
    for (int64_t k = 0; k < rows.count; ++k) {
      const std::byte *at = rows.list[k].line + x * kEntry + v * Pairs::kBytes, *w = rows.list[k].weights + v * Pairs::kBytes;
      if constexpr (kSteps > 0) {
        __m256i weights[kSteps];
#pragma GCC unroll 4
        for (int s = 0; s < kSteps; ++s) weights[s] = Pairs::load(w + s * kEntry);
#pragma GCC unroll 16
        for (int e = 0; e < kPositions + (kSteps - 1) * kApart; ++e) {
          const __m256i taps = Pairs::load(at + e * kEntry);
#pragma GCC unroll 4
          for (int s = 0; s < kSteps; ++s)
            if (e - s * kApart >= 0 && e - s * kApart < kPositions) acc[e - s * kApart] = Pairs::dot(acc[e - s * kApart], taps, weights[s]);
        }
      } else {
        for (int64_t s = 0; s < j.steps(); ++s, at += j.step_entries() * kEntry, w += kEntry) {
          const __m256i weights = Pairs::load(w);
#pragma GCC unroll 8
          for (int p = 0; p < kPositions; ++p) acc[p] = Pairs::dot(acc[p], Pairs::load(at + p * kEntry), weights);
        }
      }
    }
#pragma GCC unroll 8
    for (int p = 0; p < kPositions; ++p) Pairs::store(to + p * Pairs::kBytes + 8 * v, acc[p]);
  }
}
void Pairs::sums(const DepthwiseLines& j, const KernelRows& rows, int64_t x, int32_t* to) {
  const int64_t steps = j.steps(), apart = j.step_entries();
  if (steps == 2 && apart == 2) return sums_of_eight<2, 2>(j, rows, x, to);
  if (steps == 2 && apart == 1) return sums_of_eight<2, 1>(j, rows, x, to);
  if (steps == 3 && apart == 2) return sums_of_eight<3, 2>(j, rows, x, to);
  if (steps == 3 && apart == 1) return sums_of_eight<3, 1>(j, rows, x, to);
  sums_of_eight<0, 0>(j, rows, x, to);
}

}  // namespace

void depthwise_lines_avx2(const DepthwiseLines& job) noexcept { rows_of_tiles<Pairs>(job); }

}  // namespace anydim
