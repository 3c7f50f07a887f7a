// SPDX-License-Identifier: Apache-2.0
// Vectors of 32 bytes for depthwise_lines.inl.h, in AVX2: all but how numbers become a step of a product.
#pragma once

#include "core/kernels/conv/bytes/depthwise_lines.h"
#include "core/kernels/simd/store_bytes_avx2.h"

namespace anydim::avx2 {
namespace {

struct HalfVectors {
  static constexpr int64_t kBytes = 32;
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
  // A quick_value() of bytes_avx512.h: a lane whose low bits were all 0 once is in doubt.
  using Lanes = __m256i;
  static Lanes all_lanes() { return _mm256_set1_epi32(-1); }
  static bool doubtful(Lanes clear) {
    const __m256i none = _mm256_cmpeq_epi32(clear, _mm256_setzero_si256());
    return _mm256_testz_si256(none, none) == 0;
  }
  static Whole quick_value(Whole q, Lanes* clear) {
    *clear = _mm256_min_epu32(*clear, _mm256_and_si256(q, words((1u << 14) - 4)));
    return _mm256_srai_epi32(q, 14);
  }
  static void put_in_order(Whole (&v)[kLineVectors]) {
    const Whole low01 = _mm256_permute2x128_si256(v[0], v[1], 0x20), high01 = _mm256_permute2x128_si256(v[0], v[1], 0x31);
    const Whole low23 = _mm256_permute2x128_si256(v[2], v[3], 0x20), high23 = _mm256_permute2x128_si256(v[2], v[3], 0x31);
    v[0] = low01, v[1] = low23, v[2] = high01, v[3] = high23;
  }
};

}  // namespace
}  // namespace anydim::avx2
