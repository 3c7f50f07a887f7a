// SPDX-License-Identifier: Apache-2.0
// Eight quantized values at a time, as real numbers and back, in AVX2; AVX-512 has it, too. The plain loops of convert_rows.inl.h and
// tiles.inl.h compute the same values.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/kernels/simd/store_bytes_avx2.h"

namespace anydim::avx2 {
namespace {

template <class From> inline __m256i load_whole(const From* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return std::is_signed_v<From> ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes);
}

// round(y) + zero, saturated; NaN gives 0. What leaves 32 bits becomes the least i32, which the packing saturates.
template <class To> inline __m256i to_eight_whole(__m256 y, __m256 zero) {
  __m256 r = _mm256_add_ps(_mm256_round_ps(y, _MM_FROUND_CUR_DIRECTION | _MM_FROUND_NO_EXC), zero);
  const __m256i number = _mm256_castps_si256(_mm256_cmp_ps(r, r, _CMP_ORD_Q));
  r = _mm256_min_ps(_mm256_set1_ps(std::numeric_limits<To>::max()), r);  // NaN stays
  const __m256i whole = _mm256_cvttps_epi32(r);
  return std::is_signed_v<To> ? _mm256_and_si256(whole, number) : whole;  // the least i32 is 0 of u8 already
}
template <class To> inline __m128i to_eight(__m256 y, __m256 zero) {
  const __m256i whole = to_eight_whole<To>(y, zero);
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
  return std::is_signed_v<To> ? _mm_packs_epi16(words, words) : _mm_packus_epi16(words, words);
}

// As many real numbers as a vector has.
struct Reals {
  static constexpr int kLanes = 8;
  __m256 v;
  static Reals of(float x) { return {_mm256_set1_ps(x)}; }
  // The first n elements.
  static Reals load(const float* p, int64_t n) {
    float few[kLanes] = {};
    if (n < kLanes) p = first_of(p, n, few);
    return {_mm256_loadu_ps(p)};
  }
  template <class From> static Reals of_quantized(const From* p, int64_t n, int32_t zero) {
    From few[kLanes] = {};
    if (n < kLanes) p = first_of(p, n, few);
    return {_mm256_cvtepi32_ps(_mm256_sub_epi32(load_whole(p), _mm256_set1_epi32(zero)))};
  }
  void store(float* p, int64_t n) const {
    float few[kLanes];
    _mm256_storeu_ps(n < kLanes ? few : p, v);
    for (int64_t i = 0; n < kLanes && i < n; ++i) p[i] = few[i];
  }
  template <class To> void store_quantized(To* p, int64_t n, Reals zero) const {
    To few[kLanes];
    _mm_storel_epi64(reinterpret_cast<__m128i*>(n < kLanes ? few : p), to_eight<To>(v, zero.v));
    for (int64_t i = 0; n < kLanes && i < n; ++i) p[i] = few[i];
  }
  Reals first() const { return {_mm256_broadcastss_ps(_mm256_castps256_ps128(v))}; }
  template <class T> static const T* first_of(const T* p, int64_t n, T* few) {
    for (int64_t i = 0; i < n; ++i) few[i] = p[i];
    return few;
  }
  friend Reals operator+(Reals a, Reals b) { return {_mm256_add_ps(a.v, b.v)}; }
  friend Reals operator-(Reals a, Reals b) { return {_mm256_sub_ps(a.v, b.v)}; }
  friend Reals operator*(Reals a, Reals b) { return {_mm256_mul_ps(a.v, b.v)}; }
  friend Reals operator/(Reals a, Reals b) { return {_mm256_div_ps(a.v, b.v)}; }
};

// As the one of bytes_avx512.h, which says why: the most whole 32 of n elements.
template <class To> inline int64_t quantize_many(const float* x, float scale, float zero, int64_t n, To* to) {
  if (!(scale > 0x1p-100f && scale < 0x1p100f && zero >= -128.f && zero <= 255.f)) return 0;
  const __m256 quick = _mm256_set1_ps(0x1p14f / scale), centre = _mm256_set1_ps(zero * 0x1p14f + (0x1p13f + 1));
  const __m256i low = _mm256_set1_epi32((1 << 14) - 4);
  int64_t at = 0;
  for (; at + 32 <= n; at += 32) {
    __m256i whole[4], clear = low;
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m256i q = _mm256_cvtps_epi32(_mm256_fmadd_ps(_mm256_loadu_ps(x + at + 8 * v), quick, centre));
      clear = _mm256_min_epu32(clear, _mm256_and_si256(q, low));
      whole[v] = _mm256_srai_epi32(q, 14);
    }
    const __m256i doubt = _mm256_cmpeq_epi32(clear, _mm256_setzero_si256());
    if (__builtin_expect(_mm256_testz_si256(doubt, doubt) == 0, 0)) {
      for (int v = 0; v < 4; ++v)
        _mm_storel_epi64(reinterpret_cast<__m128i*>(to + at + 8 * v),
                         to_eight<To>(_mm256_div_ps(_mm256_loadu_ps(x + at + 8 * v), _mm256_set1_ps(scale)), _mm256_set1_ps(zero)));
      continue;
    }
    const __m256i first = _mm256_packs_epi32(whole[0], whole[1]), second = _mm256_packs_epi32(whole[2], whole[3]);
    const __m256i packed = std::is_signed_v<To> ? _mm256_packs_epi16(first, second) : _mm256_packus_epi16(first, second);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at),
                        _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
  }
  return at;
}

// What follows the sums of a row, for columns of which each pointer is the first one's; arrays hold whole eights. y = (sum + offset -
// zero * row_sum) * scale + bias, then relu, then as f32 or as a quantized value of out_scale and out_zero.
struct RowFinish {
  const int32_t *offset, *zero;  // zero may be null
  int32_t row_sum;
  const float *scale, *bias, *out_scale, *out_zero;  // bias and out_scale may be null
  bool relu;
  const float *quick = nullptr, *centre = nullptr;  // of IntColumns
};

// Up to 32 columns side by side as bytes: V vectors at once, without a branch in between. A quotient is always there, a zero point of the
// right side never; sums of columns that are none may be anything.
template <int V, class To> inline void finish_bytes(const int32_t* sums, const RowFinish& f, int64_t columns, To* to) {
  static constexpr float kNoBias[8 * V] = {};
  const float* const bias = f.bias != nullptr ? f.bias : kNoBias;  // the sign of a zero is lost anyway
  const __m256 least = _mm256_set1_ps(f.relu ? 0.f : -std::numeric_limits<float>::infinity());
  __m256i whole[4] = {};
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    const int c = 8 * v;
    const __m256i sum = _mm256_add_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums + c)),
                                         _mm256_loadu_si256(reinterpret_cast<const __m256i*>(f.offset + c)));
    __m256 y = _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_loadu_ps(f.scale + c)), _mm256_loadu_ps(bias + c));
    y = _mm256_div_ps(_mm256_max_ps(least, y), _mm256_loadu_ps(f.out_scale + c));  // NaN and -0 stay
    whole[v] = to_eight_whole<To>(y, _mm256_loadu_ps(f.out_zero + c));
  }
  // The halves of the four vectors are taken one after the other, and put in order at the end.
  const __m256i first = _mm256_packs_epi32(whole[0], whole[1]), second = V > 2 ? _mm256_packs_epi32(whole[2], whole[3]) : first;
  const __m256i bytes = std::is_signed_v<To> ? _mm256_packs_epi16(first, second) : _mm256_packus_epi16(first, second);
  store_bytes(_mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)), columns, reinterpret_cast<std::byte*>(to));
}
template <class To> inline void finish_row(const int32_t* sums, const RowFinish& f, int64_t columns, int64_t step, To* to) {
  for (int64_t c = 0; c < columns; c += 8) {
    __m256i whole = _mm256_add_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums + c)),
                                     _mm256_loadu_si256(reinterpret_cast<const __m256i*>(f.offset + c)));
    if (f.zero != nullptr)
      whole = _mm256_sub_epi32(
          whole, _mm256_mullo_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(f.zero + c)), _mm256_set1_epi32(f.row_sum)));
    __m256 y = _mm256_mul_ps(_mm256_cvtepi32_ps(whole), _mm256_loadu_ps(f.scale + c));
    if (f.bias != nullptr) y = _mm256_add_ps(y, _mm256_loadu_ps(f.bias + c));
    if (f.relu) y = _mm256_max_ps(_mm256_setzero_ps(), y);  // NaN and -0 stay
    const int64_t n = columns - c < 8 ? columns - c : 8;
    alignas(32) To eight[8];
    To* const at = step == 1 && n == 8 ? to + c : eight;
    if constexpr (std::is_same_v<To, float>) {
      _mm256_storeu_ps(at, y);
    } else {
      if (f.out_scale != nullptr) y = _mm256_div_ps(y, _mm256_loadu_ps(f.out_scale + c));
      _mm_storel_epi64(reinterpret_cast<__m128i*>(at), to_eight<To>(y, _mm256_loadu_ps(f.out_zero + c)));
    }
    if (at == eight)
      for (int64_t j = 0; j < n; ++j) to[(c + j) * step] = eight[j];
  }
}

}  // namespace
}  // namespace anydim::avx2
