// SPDX-License-Identifier: Apache-2.0
// Sixteen quantized values at a time, as real numbers and back, in AVX-512: half the instructions of bytes_avx2.h. The same values.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/kernels/simd/avx512.h"
#include "core/kernels/simd/bytes_avx2.h"

namespace anydim::avx512 {
namespace {

using avx2::finish_bytes;
using avx2::finish_row;
using avx2::RowFinish;

// round(y) + zero, saturated; NaN gives 0. What leaves 32 bits becomes the least i32, which is saturated after it.
template <class To> inline __m128i to_sixteen(__m512 y, __m512 zero) {
  __m512 r = _mm512_add_ps(_mm512_roundscale_ps(y, _MM_FROUND_CUR_DIRECTION | _MM_FROUND_NO_EXC), zero);
  const __mmask16 number = _mm512_cmp_ps_mask(r, r, _CMP_ORD_Q);
  r = _mm512_min_ps(_mm512_set1_ps(std::numeric_limits<To>::max()), r);  // NaN stays
  const __m512i whole = _mm512_maskz_cvttps_epi32(number, r);
  return std::is_signed_v<To> ? _mm512_cvtsepi32_epi8(whole) : _mm512_cvtusepi32_epi8(_mm512_max_epi32(whole, _mm512_setzero_si512()));
}

// As many real numbers as a vector has.
struct Reals {
  static constexpr int kLanes = 16;
  __m512 v;
  static Reals of(float x) { return {_mm512_set1_ps(x)}; }
  // The first n elements.
  static __mmask16 first_of(int64_t n) { return static_cast<__mmask16>((1u << n) - 1); }
  static Reals load(const float* p, int64_t n) { return {_mm512_maskz_loadu_ps(first_of(n), p)}; }
  template <class From> static Reals of_quantized(const From* p, int64_t n, int32_t zero) {
    const __m128i bytes = _mm_maskz_loadu_epi8(first_of(n), p);
    const __m512i whole = std::is_signed_v<From> ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes);
    return {_mm512_cvtepi32_ps(_mm512_sub_epi32(whole, _mm512_set1_epi32(zero)))};
  }
  void store(float* p, int64_t n) const { _mm512_mask_storeu_ps(p, first_of(n), v); }
  template <class To> void store_quantized(To* p, int64_t n, Reals zero) const {
    const __m128i bytes = to_sixteen<To>(v, zero.v);
    if (n == kLanes) _mm_storeu_si128(reinterpret_cast<__m128i*>(p), bytes);
    else _mm_mask_storeu_epi8(p, first_of(n), bytes);
  }
  Reals first() const { return {_mm512_broadcastss_ps(_mm512_castps512_ps128(v))}; }
  friend Reals operator+(Reals a, Reals b) { return {_mm512_add_ps(a.v, b.v)}; }
  friend Reals operator-(Reals a, Reals b) { return {_mm512_sub_ps(a.v, b.v)}; }
  friend Reals operator*(Reals a, Reals b) { return {_mm512_mul_ps(a.v, b.v)}; }
  friend Reals operator/(Reals a, Reals b) { return {_mm512_div_ps(a.v, b.v)}; }
};

// Numbers are made of quotients without dividing. q = 2^14 * (y / scale + zero + 1/2) + 1 is computed by one multiplication and addition
// of y, or of the whole sum itself, and made whole: it is less than two from what the rounded quotient would give, wherever the result does
// not saturate anyway, since y, the quotient, the factor and the sum of both are each rounded by 2^-24 of at most 2^22, and then the whole
// by a half. So, unless the low bits are among 0 to 3 (one of 4096), the rest is the number. IntColumns::quick says where that holds.
constexpr int kQuickBits = 14;
// `clear` keeps the lanes that are not in doubt.
inline __m512i quick_value(__m512 y, __m512 quick, __m512 centre, __m512i low, __mmask16* clear) {
  const __m512i q = _mm512_cvtps_epi32(_mm512_fmadd_ps(y, quick, centre));
  *clear = _mm512_mask_test_epi32_mask(*clear, q, low);
  return _mm512_srai_epi32(q, kQuickBits);
}

// round(x / scale) + zero, saturated, of the most whole 64 of n elements; how many these are. By quick_value(), where |quotient| above
// 2^8 saturates anyway, and NaN and what leaves 32 bits are in doubt.
template <class To> inline int64_t quantize_many(const float* x, float scale, float zero, int64_t n, To* to) {
  if (!(scale > 0x1p-100f && scale < 0x1p100f && zero >= -128.f && zero <= 255.f)) return 0;
  const __m512 quick = _mm512_set1_ps(0x1p14f / scale), centre = _mm512_set1_ps(zero * 0x1p14f + (0x1p13f + 1));
  const __m512i low = _mm512_set1_epi32((1 << kQuickBits) - 4);
  const __m512i in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  int64_t at = 0;
  for (; at + 64 <= n; at += 64) {
    __m512i whole[4];
    __mmask16 clear = 0xFFFF;
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) whole[v] = quick_value(_mm512_loadu_ps(x + at + 16 * v), quick, centre, low, &clear);
    if (__builtin_expect(clear != 0xFFFF, 0)) {
      for (int v = 0; v < 4; ++v)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at + 16 * v),
                         to_sixteen<To>(_mm512_div_ps(_mm512_loadu_ps(x + at + 16 * v), _mm512_set1_ps(scale)), _mm512_set1_ps(zero)));
      continue;
    }
    const __m512i first = _mm512_packs_epi32(whole[0], whole[1]), second = _mm512_packs_epi32(whole[2], whole[3]);
    const __m512i packed = std::is_signed_v<To> ? _mm512_packs_epi16(first, second) : _mm512_packus_epi16(first, second);
    _mm512_storeu_si512(to + at, _mm512_permutexvar_epi32(in_order, packed));
  }
  return at;
}

// What finish_tile() is about, by vectors of columns.
template <int V> struct FinishVectors {
  __m512 quick[V], centre[V];
  __m512i low, least, flip, in_order;
  __mmask32 columns = 0xFFFFFFFF;  // that are stored
};
inline __m512i whole_of(const int32_t* sums) { return _mm512_loadu_si512(sums); }
inline __m512i whole_of(const float* sums) { return _mm512_cvttps_epi32(_mm512_loadu_ps(sums)); }

// Four vectors of values, of 32 bits, to bytes in order. They are those of u8; `flip` makes them i8.
template <int V> inline __m512i finish_packed(const FinishVectors<V>& k, __m512i (&y)[4]) {
  const __m512i first = _mm512_max_epi16(_mm512_packs_epi32(y[0], y[1]), k.least);
  const __m512i second = _mm512_max_epi16(_mm512_packs_epi32(y[2], y[3]), k.least);
  return _mm512_permutexvar_epi32(k.in_order, _mm512_xor_si512(_mm512_packus_epi16(first, second), k.flip));
}
template <int V> inline FinishVectors<V> finish_vectors(const RowFinish& f, bool is_signed) {
  FinishVectors<V> k;
  __m512i zero[V];
  k.low = _mm512_set1_epi32((1 << kQuickBits) - 4);
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    const float moved = is_signed ? 128.f : 0.f;
    zero[v] = _mm512_cvtps_epi32(_mm512_add_ps(_mm512_loadu_ps(f.out_zero + 16 * v), _mm512_set1_ps(moved)));
    if (f.quick == nullptr) continue;
    k.centre[v] = _mm512_add_ps(_mm512_loadu_ps(f.centre + 16 * v), _mm512_set1_ps(moved * (1 << kQuickBits)));
    k.quick[v] = _mm512_loadu_ps(f.quick + 16 * v);
  }
  k.least = f.relu ? _mm512_packs_epi32(zero[0], zero[V - 1]) : _mm512_set1_epi16(std::numeric_limits<int16_t>::min());
  k.flip = _mm512_set1_epi8(is_signed ? static_cast<char>(0x80) : '\0');
  // Element i of a 128-bit part is a row's, of each part, before.
  k.in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return k;
}
// By division: four vectors of rows from `r` on.
template <int V, class Source>
__attribute__((noinline)) __m512i finish_by_division(const RowFinish& f, const FinishVectors<V>& k, const int32_t* row_sums,
                                                     const Source& source, int32_t r, int32_t rows, bool is_signed) {
  __m512i y[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const int at = 16 * (i % V);
    const int32_t row = r + i / V < rows ? r + i / V : rows - 1;
    __m512i sum = _mm512_add_epi32(whole_of(source(row) + at), _mm512_loadu_si512(f.offset + at));
    if (f.zero != nullptr)
      sum = _mm512_sub_epi32(sum, _mm512_mullo_epi32(_mm512_loadu_si512(f.zero + at), _mm512_set1_epi32(row_sums[row])));
    __m512 real = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_loadu_ps(f.scale + at));
    if (f.bias != nullptr) real = _mm512_add_ps(real, _mm512_loadu_ps(f.bias + at));
    const __m512 zero = _mm512_add_ps(_mm512_loadu_ps(f.out_zero + at), _mm512_set1_ps(is_signed ? 128.f : 0.f));
    y[i] = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_div_ps(real, _mm512_loadu_ps(f.out_scale + at))), _mm512_cvtps_epi32(zero));
  }
  return finish_packed(k, y);
}

// What follows the sums of rows, for V vectors of columns from `c` on; `f` as finish_bytes() of bytes_avx2.h has it, but that
// IntColumns::tame holds. Then no quotient is NaN, none leaves 32 bits, and relu is the zero point as the least result. `source(r)`: the
// sums of row r, int32_t or, as whole numbers, float. Rows whose bytes fill 64 are packed together. kBias: f has one.
template <int V, bool kBias, class Source>
inline void finish_tile(const RowFinish& f, const int32_t* row_sums, const Source& source, int32_t rows, int64_t columns,
                        std::byte* const* dst, int64_t c, bool is_signed) {
  constexpr int kRowsAtOnce = 4 / V;
  const FinishVectors<V> k = finish_vectors<V>(f, is_signed);
  const auto mask = static_cast<__mmask32>(columns >= 16 * V ? (UINT64_C(1) << 16 * V) - 1 : (UINT64_C(1) << columns) - 1);
  const bool whole_rows = columns >= 16 * V;
  for (int32_t r = 0; r < rows; r += kRowsAtOnce) {
    __m512i bytes;
    __mmask16 clear = f.quick != nullptr ? 0xFFFF : 0;
    if (f.quick != nullptr) {
      __m512i y[4];
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        const int v = i % V;
        const int32_t row = r + i / V < rows ? r + i / V : rows - 1;
        __m512 real = _mm512_cvtepi32_ps(_mm512_add_epi32(whole_of(source(row) + 16 * v), _mm512_loadu_si512(f.offset + 16 * v)));
        if constexpr (kBias) real = _mm512_add_ps(_mm512_mul_ps(real, _mm512_loadu_ps(f.scale + 16 * v)), _mm512_loadu_ps(f.bias + 16 * v));
        y[i] = quick_value(real, k.quick[v], k.centre[v], k.low, &clear);
      }
      bytes = finish_packed(k, y);
    }
    if (__builtin_expect(clear != 0xFFFF, 0)) bytes = finish_by_division<V>(f, k, row_sums, source, r, rows, is_signed);
    if constexpr (V == 2) {
      const __m256i low = _mm512_castsi512_si256(bytes), high = _mm512_extracti64x4_epi64(bytes, 1);
      if (whole_rows) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst[r] + c), low);
        if (r + 1 < rows) _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst[r + 1] + c), high);
      } else {
        _mm256_mask_storeu_epi8(dst[r] + c, mask, low);
        if (r + 1 < rows) _mm256_mask_storeu_epi8(dst[r + 1] + c, mask, high);
      }
    } else {
      const __m128i parts[4] = {_mm512_castsi512_si128(bytes), _mm512_extracti32x4_epi32(bytes, 1), _mm512_extracti32x4_epi32(bytes, 2),
                                _mm512_extracti32x4_epi32(bytes, 3)};
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i)
        if (r + i < rows) _mm_mask_storeu_epi8(dst[r + i] + c, static_cast<__mmask16>(mask), parts[i]);
    }
  }
}

// A row's columns side by side as f32.
inline void finish_reals(const int32_t* sums, const RowFinish& f, int64_t columns, float* to) {
  for (int64_t c = 0; c < columns; c += 16) {
    __m512i sum = _mm512_add_epi32(_mm512_loadu_si512(sums + c), _mm512_loadu_si512(f.offset + c));
    if (f.zero != nullptr) sum = _mm512_sub_epi32(sum, _mm512_mullo_epi32(_mm512_loadu_si512(f.zero + c), _mm512_set1_epi32(f.row_sum)));
    __m512 y = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_loadu_ps(f.scale + c));
    if (f.bias != nullptr) y = _mm512_add_ps(y, _mm512_loadu_ps(f.bias + c));
    if (f.relu) y = _mm512_max_ps(_mm512_setzero_ps(), y);  // NaN and -0 stay
    if (columns - c >= 16) _mm512_storeu_ps(to + c, y);
    else _mm512_mask_storeu_ps(to + c, Reals::first_of(columns - c), y);
  }
}

}  // namespace
}  // namespace anydim::avx512
