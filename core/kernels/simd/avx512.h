// SPDX-License-Identifier: Apache-2.0
// The f32 vector of the AVX-512 kernels: 16 lanes. portable.h says what each operation means; all types give the same bits.
#pragma once

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (GCC bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include <cstdint>

namespace anydim::avx512 {
namespace {

struct F32 {
  static constexpr int kWidth = 16;
  struct Mask {
    __mmask16 m;
  };
  struct Int {
    __m512i v;
  };
  __m512 v;

  static F32 set(float x) { return {_mm512_set1_ps(x)}; }
  static F32 zero() { return {_mm512_setzero_ps()}; }
  static F32 load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static F32 load_partial(const float* p, int n) { return {_mm512_maskz_loadu_ps(lanes(n), p)}; }
  static F32 load_strided(const float* p, int64_t stride, int n) {
    alignas(64) float t[16] = {};
    for (int i = 0; i < n; ++i) t[i] = p[i * stride];
    return {_mm512_load_ps(t)};
  }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
  void store_partial(float* p, int n) const { _mm512_mask_storeu_ps(p, lanes(n), v); }

  static F32 load_f16(const uint16_t* p) { return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))}; }
  void store_f16(uint16_t* p) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
  static F32 load_bf16(const uint16_t* p) {
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))), 16))};
  }
  // Not the BF16 extension's instruction: it flushes denormals.
  void store_bf16(uint16_t* p) const {
    const __m512i b = _mm512_castps_si512(v);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(b, 16), _mm512_set1_epi32(1));
    __m512i r = _mm512_srli_epi32(_mm512_add_epi32(b, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))), 16);
    const __m512i quiet = _mm512_or_si512(_mm512_srli_epi32(b, 16), _mm512_set1_epi32(0x40));
    r = _mm512_mask_mov_epi32(r, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), quiet);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(r));
  }

  static Mask first_lanes(int n) { return {lanes(n)}; }
  static __mmask16 lanes(int n) { return static_cast<__mmask16>((1u << n) - 1); }
};

inline F32 operator+(F32 a, F32 b) { return {_mm512_add_ps(a.v, b.v)}; }
inline F32 operator-(F32 a, F32 b) { return {_mm512_sub_ps(a.v, b.v)}; }
inline F32 operator*(F32 a, F32 b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline F32 operator/(F32 a, F32 b) { return {_mm512_div_ps(a.v, b.v)}; }
inline F32 fma(F32 a, F32 b, F32 c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
inline F32 sqrt(F32 a) { return {_mm512_sqrt_ps(a.v)}; }
inline F32 neg(F32 a) { return {_mm512_xor_ps(a.v, _mm512_set1_ps(-0.f))}; }
inline F32 abs(F32 a) { return {_mm512_andnot_ps(_mm512_set1_ps(-0.f), a.v)}; }
inline F32 copysign(F32 magnitude, F32 sign) {
  return {_mm512_castsi512_ps(
      _mm512_ternarylogic_epi32(_mm512_set1_epi32(INT32_MIN), _mm512_castps_si512(sign.v), _mm512_castps_si512(magnitude.v), 0xCA))};
}

inline F32 pick_greater(F32 a, F32 b) { return {_mm512_max_ps(a.v, b.v)}; }
inline F32 pick_less(F32 a, F32 b) { return {_mm512_min_ps(a.v, b.v)}; }
inline F32 max(F32 a, F32 b) {
  const __m512 r = _mm512_range_ps(a.v, b.v, 0x5);  // maximum, sign of the result; a lone NaN is dropped
  return {_mm512_mask_add_ps(r, _mm512_cmp_ps_mask(a.v, b.v, _CMP_UNORD_Q), a.v, b.v)};
}
inline F32 min(F32 a, F32 b) {
  const __m512 r = _mm512_range_ps(a.v, b.v, 0x4);
  return {_mm512_mask_add_ps(r, _mm512_cmp_ps_mask(a.v, b.v, _CMP_UNORD_Q), a.v, b.v)};
}

inline F32 max_of_numbers(F32 a, F32 b) { return {_mm512_range_ps(a.v, b.v, 0x5)}; }

// Lane i holds lane i + h for i < h; the others are unspecified.
template <int h> inline F32 upper(F32 a) {
  if constexpr (h == 8) return {_mm512_shuffle_f32x4(a.v, a.v, _MM_SHUFFLE(3, 2, 3, 2))};
  else if constexpr (h == 4) return {_mm512_shuffle_f32x4(a.v, a.v, _MM_SHUFFLE(1, 1, 1, 1))};
  else return {_mm512_permute_ps(a.v, h == 2 ? _MM_SHUFFLE(3, 2, 3, 2) : _MM_SHUFFLE(1, 1, 1, 1))};
}
inline float first(F32 a) { return _mm512_cvtss_f32(a.v); }

// 16x16 in place: pairs and quads of rows are interleaved, then 128-bit blocks are gathered twice. The loops are
// unrolled at every level of optimisation: else the arrays lie in memory.
inline void transpose(F32 (&r)[16]) {
  __m512 t[16], u[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_ps(r[i].v, r[i + 1].v);
    t[i + 1] = _mm512_unpackhi_ps(r[i].v, r[i + 1].v);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; i += 4)
#pragma GCC unroll 16
    for (int k = 0; k < 2; ++k) {
      const __m512d a = _mm512_castps_pd(t[i + k]), b = _mm512_castps_pd(t[i + k + 2]);
      u[i + 2 * k] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
      u[i + 2 * k + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
    }
#pragma GCC unroll 16
  for (int c = 0; c < 4; ++c)
#pragma GCC unroll 16
    for (int h = 0; h < 16; h += 8) {
      t[h + c] = _mm512_shuffle_f32x4(u[h + c], u[h + 4 + c], 0x88);
      t[h + 4 + c] = _mm512_shuffle_f32x4(u[h + c], u[h + 4 + c], 0xdd);
    }
#pragma GCC unroll 16
  for (int c = 0; c < 8; ++c) {
    r[c].v = _mm512_shuffle_f32x4(t[c], t[8 + c], 0x88);
    r[8 + c].v = _mm512_shuffle_f32x4(t[c], t[8 + c], 0xdd);
  }
}

inline F32::Mask operator<(F32 a, F32 b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)}; }
inline F32::Mask operator<=(F32 a, F32 b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ)}; }
inline F32::Mask operator==(F32 a, F32 b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_EQ_OQ)}; }
inline F32::Mask is_nan(F32 a) { return {_mm512_cmp_ps_mask(a.v, a.v, _CMP_UNORD_Q)}; }
inline F32::Mask operator&(F32::Mask a, F32::Mask b) { return {static_cast<__mmask16>(a.m & b.m)}; }
inline F32::Mask operator|(F32::Mask a, F32::Mask b) { return {static_cast<__mmask16>(a.m | b.m)}; }
inline F32::Mask operator!(F32::Mask a) { return {static_cast<__mmask16>(~a.m)}; }
inline F32 select(F32::Mask m, F32 a, F32 b) { return {_mm512_mask_blend_ps(m.m, b.v, a.v)}; }
inline bool any(F32::Mask m) { return m.m != 0; }
inline uint32_t mask_bits(F32::Mask m) { return m.m; }

inline F32 floor(F32 a) { return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)}; }
inline F32 ceil(F32 a) { return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)}; }
inline F32 round_even(F32 a) { return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
inline F32 round_f16(F32 a) { return {_mm512_cvtph_ps(_mm512_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))}; }

inline F32::Int bits(F32 a) { return {_mm512_castps_si512(a.v)}; }
inline F32 from_bits(F32::Int a) { return {_mm512_castsi512_ps(a.v)}; }
inline F32::Int set_int(F32, int32_t x) { return {_mm512_set1_epi32(x)}; }
inline F32::Int operator+(F32::Int a, F32::Int b) { return {_mm512_add_epi32(a.v, b.v)}; }
inline F32::Int operator-(F32::Int a, F32::Int b) { return {_mm512_sub_epi32(a.v, b.v)}; }
inline F32::Int operator*(F32::Int a, F32::Int b) { return {_mm512_mullo_epi32(a.v, b.v)}; }
inline F32::Int operator&(F32::Int a, F32::Int b) { return {_mm512_and_si512(a.v, b.v)}; }
template <int n> inline F32::Int shift_left(F32::Int a) { return {_mm512_slli_epi32(a.v, n)}; }
template <int n> inline F32::Int shift_right(F32::Int a) { return {_mm512_srai_epi32(a.v, n)}; }
inline F32 to_float(F32::Int a) { return {_mm512_cvtepi32_ps(a.v)}; }

inline F32 scale_by_power(F32 a, F32 n) { return {_mm512_scalef_ps(a.v, n.v)}; }

}  // namespace
}  // namespace anydim::avx512
