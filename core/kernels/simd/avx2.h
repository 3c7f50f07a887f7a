// SPDX-License-Identifier: Apache-2.0
// The f32 vector of the AVX2+FMA kernels: 8 lanes. portable.h says what each operation means; all types give the same bits.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace anydim::avx2 {
namespace {

struct F32 {
  static constexpr int kWidth = 8;
  struct Mask {
    __m256 m;
  };
  struct Int {
    __m256i v;
  };
  __m256 v;

  static F32 set(float x) { return {_mm256_set1_ps(x)}; }
  static F32 zero() { return {_mm256_setzero_ps()}; }
  static F32 load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static F32 load_partial(const float* p, int n) { return {_mm256_maskload_ps(p, lanes(n))}; }
  static F32 load_strided(const float* p, int64_t stride, int n) {
    alignas(32) float t[8] = {};
    for (int i = 0; i < n; ++i) t[i] = p[i * stride];
    return {_mm256_load_ps(t)};
  }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  // In halves, pairs and singles: the masked store takes tens of cycles on AMD.
  void store_partial(float* p, int n) const {
    if (n >= 8) return store(p);
    __m128 part = _mm256_castps256_ps128(v);
    if (n & 4) {
      _mm_storeu_ps(p, part);
      part = _mm256_extractf128_ps(v, 1);
      p += 4;
    }
    if (n & 2) {
      _mm_storel_pi(reinterpret_cast<__m64*>(p), part);
      part = _mm_movehl_ps(part, part);
      p += 2;
    }
    if (n & 1) _mm_store_ss(p, part);
  }

  static F32 load_f16(const uint16_t* p) { return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))}; }
  void store_f16(uint16_t* p) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
  static F32 load_bf16(const uint16_t* p) {
    return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))), 16))};
  }
  void store_bf16(uint16_t* p) const {
    const __m256i b = _mm256_castps_si256(v);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(b, 16), _mm256_set1_epi32(1));
    const __m256i r = _mm256_srli_epi32(_mm256_add_epi32(b, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff))), 16);
    const __m256i quiet = _mm256_or_si256(_mm256_srli_epi32(b, 16), _mm256_set1_epi32(0x40));
    const __m256i s = _mm256_blendv_epi8(r, quiet, _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_packus_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1)));
  }

  static Mask first_lanes(int n) { return {_mm256_castsi256_ps(lanes(n))}; }
  static __m256i lanes(int n) { return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)); }
};

inline F32 operator+(F32 a, F32 b) { return {_mm256_add_ps(a.v, b.v)}; }
inline F32 operator-(F32 a, F32 b) { return {_mm256_sub_ps(a.v, b.v)}; }
inline F32 operator*(F32 a, F32 b) { return {_mm256_mul_ps(a.v, b.v)}; }
inline F32 operator/(F32 a, F32 b) { return {_mm256_div_ps(a.v, b.v)}; }
inline F32 fma(F32 a, F32 b, F32 c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
inline F32 sqrt(F32 a) { return {_mm256_sqrt_ps(a.v)}; }
inline F32 neg(F32 a) { return {_mm256_xor_ps(a.v, _mm256_set1_ps(-0.f))}; }
inline F32 abs(F32 a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.f), a.v)}; }
inline F32 copysign(F32 magnitude, F32 sign) {
  const __m256 s = _mm256_set1_ps(-0.f);
  return {_mm256_or_ps(_mm256_and_ps(s, sign.v), _mm256_andnot_ps(s, magnitude.v))};
}

inline F32 pick_greater(F32 a, F32 b) { return {_mm256_max_ps(a.v, b.v)}; }
inline F32 pick_less(F32 a, F32 b) { return {_mm256_min_ps(a.v, b.v)}; }
// The instruction answers its second operand for zeros of both signs and for NaN: both orders together settle them.
inline F32 max(F32 a, F32 b) {
  const __m256 r = _mm256_and_ps(_mm256_max_ps(a.v, b.v), _mm256_max_ps(b.v, a.v));
  return {_mm256_blendv_ps(r, _mm256_add_ps(a.v, b.v), _mm256_cmp_ps(a.v, b.v, _CMP_UNORD_Q))};
}
inline F32 min(F32 a, F32 b) {
  const __m256 r = _mm256_or_ps(_mm256_min_ps(a.v, b.v), _mm256_min_ps(b.v, a.v));
  return {_mm256_blendv_ps(r, _mm256_add_ps(a.v, b.v), _mm256_cmp_ps(a.v, b.v, _CMP_UNORD_Q))};
}
inline F32 max_of_numbers(F32 a, F32 b) { return {_mm256_and_ps(_mm256_max_ps(a.v, b.v), _mm256_max_ps(b.v, a.v))}; }

// Lane i holds lane i + h for i < h; the others are unspecified.
template <int h> inline F32 upper(F32 a) {
  if constexpr (h == 4) return {_mm256_permute2f128_ps(a.v, a.v, 0x11)};
  else return {_mm256_permute_ps(a.v, h == 2 ? _MM_SHUFFLE(3, 2, 3, 2) : _MM_SHUFFLE(1, 1, 1, 1))};
}
inline float first(F32 a) { return _mm256_cvtss_f32(a.v); }

// 8x8 in place: pairs and quads of rows are interleaved, then 128-bit halves are joined. The loops are unrolled at
// every level of optimisation: else the arrays lie in memory.
inline void transpose(F32 (&r)[8]) {
  __m256 t[8], u[8];
#pragma GCC unroll 16
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i].v, r[i + 1].v);
    t[i + 1] = _mm256_unpackhi_ps(r[i].v, r[i + 1].v);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 8; i += 4)
#pragma GCC unroll 16
    for (int k = 0; k < 2; ++k) {
      const __m256d a = _mm256_castps_pd(t[i + k]), b = _mm256_castps_pd(t[i + k + 2]);
      u[i + 2 * k] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
      u[i + 2 * k + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
    }
#pragma GCC unroll 16
  for (int c = 0; c < 4; ++c) {
    r[c].v = _mm256_permute2f128_ps(u[c], u[4 + c], 0x20);
    r[4 + c].v = _mm256_permute2f128_ps(u[c], u[4 + c], 0x31);
  }
}

inline F32::Mask operator<(F32 a, F32 b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)}; }
inline F32::Mask operator<=(F32 a, F32 b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)}; }
inline F32::Mask operator==(F32 a, F32 b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_EQ_OQ)}; }
inline F32::Mask is_nan(F32 a) { return {_mm256_cmp_ps(a.v, a.v, _CMP_UNORD_Q)}; }
inline F32::Mask operator&(F32::Mask a, F32::Mask b) { return {_mm256_and_ps(a.m, b.m)}; }
inline F32::Mask operator|(F32::Mask a, F32::Mask b) { return {_mm256_or_ps(a.m, b.m)}; }
inline F32::Mask operator!(F32::Mask a) { return {_mm256_xor_ps(a.m, _mm256_castsi256_ps(_mm256_set1_epi32(-1)))}; }
inline F32 select(F32::Mask m, F32 a, F32 b) { return {_mm256_blendv_ps(b.v, a.v, m.m)}; }
inline bool any(F32::Mask m) { return _mm256_movemask_ps(m.m) != 0; }
inline uint32_t mask_bits(F32::Mask m) { return static_cast<uint32_t>(_mm256_movemask_ps(m.m)); }

inline F32 floor(F32 a) { return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)}; }
inline F32 ceil(F32 a) { return {_mm256_round_ps(a.v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)}; }
inline F32 round_even(F32 a) { return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
inline F32 round_f16(F32 a) { return {_mm256_cvtph_ps(_mm256_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))}; }

inline F32::Int bits(F32 a) { return {_mm256_castps_si256(a.v)}; }
inline F32 from_bits(F32::Int a) { return {_mm256_castsi256_ps(a.v)}; }
inline F32::Int set_int(F32, int32_t x) { return {_mm256_set1_epi32(x)}; }
inline F32::Int operator+(F32::Int a, F32::Int b) { return {_mm256_add_epi32(a.v, b.v)}; }
inline F32::Int operator-(F32::Int a, F32::Int b) { return {_mm256_sub_epi32(a.v, b.v)}; }
inline F32::Int operator*(F32::Int a, F32::Int b) { return {_mm256_mullo_epi32(a.v, b.v)}; }
inline F32::Int operator&(F32::Int a, F32::Int b) { return {_mm256_and_si256(a.v, b.v)}; }
template <int n> inline F32::Int shift_left(F32::Int a) { return {_mm256_slli_epi32(a.v, n)}; }
template <int n> inline F32::Int shift_right(F32::Int a) { return {_mm256_srai_epi32(a.v, n)}; }
inline F32 to_float(F32::Int a) { return {_mm256_cvtepi32_ps(a.v)}; }

inline F32 scale_by_power(F32 a, F32 n) {
  const __m256i k = _mm256_cvtps_epi32(n.v), half = _mm256_srai_epi32(k, 1), bias = _mm256_set1_epi32(127);
  const __m256i s1 = _mm256_slli_epi32(_mm256_add_epi32(half, bias), 23);
  const __m256i s2 = _mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(k, half), bias), 23);
  return {_mm256_mul_ps(_mm256_mul_ps(a.v, _mm256_castsi256_ps(s1)), _mm256_castsi256_ps(s2))};
}

}  // namespace
}  // namespace anydim::avx2
