/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of floats, as wide as the target has them: GCC's and Clang's vector types, else single floats. Every operation is one IEEE
   operation per lane, so the width changes no bit. Nothing here may be contracted; fused products are written as such. */
#ifndef ANYDIM_VECTORS_H
#define ANYDIM_VECTORS_H

#include "kernels.h"

#include <math.h>
#include <string.h>

#if defined(__STDC_VERSION__) && defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#endif
#if defined(__FAST_MATH__)
#error "-ffast-math changes results; compile without it"
#endif

#if defined(__FMA__) || defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__ARM_NEON) && defined(__ARM_FEATURE_FMA) && defined(__aarch64__)
#include <arm_neon.h>
#elif !defined(FP_FAST_FMAF) && !defined(__FP_FAST_FMAF)
#if !defined(ANYDIM_SLOW_FMA_IS_ACCEPTED) && defined(__GNUC__)
#warning "this target has no fused multiply-add: results keep their bits, but each product costs several operations"
#endif
#define ANYDIM_SLOW_FMA 1
#endif

#if !defined(ANYDIM_LANES)
#if !defined(__GNUC__)
#define ANYDIM_LANES 1
#elif defined(__AVX512F__)
#define ANYDIM_LANES 16
#elif defined(__AVX__)
#define ANYDIM_LANES 8
#elif defined(__SSE2__) || (defined(__ARM_NEON) && defined(__aarch64__))
#define ANYDIM_LANES 4
#else
#define ANYDIM_LANES 1
#endif
#endif

/* Columns of packed weights, and how many vectors they are. */
#define ANYDIM_PANEL 16
#define ANYDIM_PARTS (ANYDIM_PANEL / ANYDIM_LANES)

/* Rows of a tile of sums: as many as fit in the registers. */
#if ANYDIM_LANES == 16
#define ANYDIM_ROWS 12
#elif ANYDIM_LANES == 8 || (ANYDIM_LANES == 4 && !defined(__SSE2__))
#define ANYDIM_ROWS 6
#elif ANYDIM_LANES == 4
#define ANYDIM_ROWS 3
#else
#define ANYDIM_ROWS 1
#endif

#if defined(__GNUC__)
#define ANYDIM_INLINE static inline __attribute__((always_inline, unused))
#define ANYDIM_UNUSED __attribute__((unused))
#else
#define ANYDIM_INLINE static inline
#define ANYDIM_UNUSED
#endif

#if defined(__clang__)
#define ANYDIM_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define ANYDIM_UNROLL _Pragma("GCC unroll 16")
#else
#define ANYDIM_UNROLL
#endif

/* a * b + c with one rounding. */
ANYDIM_INLINE float fma1(float a, float b, float c) {
#if defined(ANYDIM_SLOW_FMA) && defined(__SSE2__)
  /* The product is exact in a double. The sum rounds twice only where a double lies in the middle of two floats, or is tiny. */
  const double s = (double)a * (double)b + (double)c;
  uint64_t bits;
  memcpy(&bits, &s, sizeof bits);
  if ((bits & 0x1fffffffu) == 0x10000000u || (bits & 0x7ff0000000000000u) < 0x3810000000000000u) return fmaf(a, b, c);
  return (float)s;
#else
  return fmaf(a, b, c);
#endif
}

#if ANYDIM_LANES == 1
typedef float vec;
typedef int32_t ivec;
ANYDIM_INLINE vec load(const float* p) { return *p; }
ANYDIM_INLINE void store(float* p, vec v) { *p = v; }
ANYDIM_INLINE vec splat(float x) { return x; }
ANYDIM_INLINE vec fma_(vec a, vec b, vec c) { return fma1(a, b, c); }
ANYDIM_INLINE ivec bits_(vec v) {
  ivec i;
  memcpy(&i, &v, sizeof i);
  return i;
}
ANYDIM_INLINE vec from_bits(ivec i) {
  vec v;
  memcpy(&v, &i, sizeof v);
  return v;
}
ANYDIM_INLINE vec select_(ivec mask, vec a, vec b) { return mask ? a : b; }
ANYDIM_INLINE vec sqrt_(vec v) { return sqrtf(v); }
ANYDIM_INLINE vec to_float(ivec i) { return (vec)i; }
ANYDIM_INLINE ivec shift_left(ivec i, int n) { return (ivec)((uint32_t)i << n); }
ANYDIM_INLINE ivec shift_right(ivec i, int n) { return i >> n; }
ANYDIM_INLINE ivec add_int(ivec a, ivec b) { return (ivec)((uint32_t)a + (uint32_t)b); }
#else
typedef float vec __attribute__((vector_size(4 * ANYDIM_LANES)));
typedef int32_t ivec __attribute__((vector_size(4 * ANYDIM_LANES)));
typedef uint32_t uvec __attribute__((vector_size(4 * ANYDIM_LANES)));
ANYDIM_INLINE vec load(const float* p) {
  vec v;
  memcpy(&v, p, sizeof v);
  return v;
}
ANYDIM_INLINE void store(float* p, vec v) { memcpy(p, &v, sizeof v); }
ANYDIM_INLINE vec splat(float x) {
#if ANYDIM_LANES == 16
  const vec v = {x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
#elif ANYDIM_LANES == 8
  const vec v = {x, x, x, x, x, x, x, x};
#else
  const vec v = {x, x, x, x};
#endif
  return v;
}
ANYDIM_INLINE vec fma_(vec a, vec b, vec c) {
#if defined(__AVX512F__) && ANYDIM_LANES == 16
  return (vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__) && ANYDIM_LANES == 8
  return (vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__FMA__) && ANYDIM_LANES == 4
  return (vec)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#elif defined(__ARM_NEON) && defined(__aarch64__) && ANYDIM_LANES == 4
  return (vec)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
  vec r;
  int i;
  for (i = 0; i < ANYDIM_LANES; ++i) r[i] = fma1(a[i], b[i], c[i]);
  return r;
#endif
}
ANYDIM_INLINE ivec bits_(vec v) { return (ivec)v; }
ANYDIM_INLINE vec from_bits(ivec i) { return (vec)i; }
ANYDIM_INLINE vec select_(ivec mask, vec a, vec b) { return (vec)((mask & (ivec)a) | (~mask & (ivec)b)); }
ANYDIM_INLINE vec sqrt_(vec v) {
#if defined(__AVX512F__) && ANYDIM_LANES == 16
  return (vec)_mm512_sqrt_ps((__m512)v);
#elif defined(__FMA__) && ANYDIM_LANES == 8
  return (vec)_mm256_sqrt_ps((__m256)v);
#else
  int i;
  for (i = 0; i < ANYDIM_LANES; ++i) v[i] = sqrtf(v[i]);
  return v;
#endif
}
ANYDIM_INLINE vec to_float(ivec v) {
  vec r;
  int i;
  for (i = 0; i < ANYDIM_LANES; ++i) r[i] = (float)v[i];
  return r;
}
ANYDIM_INLINE ivec shift_left(ivec i, int n) { return (ivec)((uvec)i << n); }
ANYDIM_INLINE ivec shift_right(ivec i, int n) { return i >> n; }
ANYDIM_INLINE ivec add_int(ivec a, ivec b) { return (ivec)((uvec)a + (uvec)b); }
#endif

/* The first `count` floats, fewer than a vector has; 0 behind them. What is behind is not read. */
ANYDIM_INLINE vec load_some(const float* p, int count) {
#if defined(__AVX512F__) && ANYDIM_LANES == 16
  return (vec)_mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1u), p);
#elif defined(__AVX2__) && ANYDIM_LANES == 8
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return (vec)_mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lanes));
#else
  float t[ANYDIM_LANES];
  int i;
  for (i = 0; i < ANYDIM_LANES; ++i) t[i] = i < count ? p[i] : 0.f;
  return load(t);
#endif
}

/* The same the other way round: what is behind is not written. */
ANYDIM_INLINE void store_some(float* p, vec v, int count) {
#if defined(__AVX512F__) && ANYDIM_LANES == 16
  _mm512_mask_storeu_ps(p, (__mmask16)((1u << count) - 1u), (__m512)v);
#elif defined(__AVX2__) && ANYDIM_LANES == 8
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  _mm256_maskstore_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lanes), (__m256)v);
#else
  float t[ANYDIM_LANES];
  int i;
  store(t, v);
  for (i = 0; i < count; ++i) p[i] = t[i];
#endif
}

ANYDIM_INLINE ivec set_int(int32_t x) {
#if ANYDIM_LANES == 1
  return x;
#else
  const ivec zero = {0};
  return zero | x;
#endif
}
ANYDIM_INLINE vec abs_(vec v) { return from_bits(bits_(v) & set_int(0x7fffffff)); }
ANYDIM_INLINE vec neg_(vec v) { return -v; }
ANYDIM_INLINE vec copysign_(vec magnitude, vec sign) {
  return from_bits((bits_(magnitude) & set_int(0x7fffffff)) | (bits_(sign) & set_int((int32_t)0x80000000u)));
}
/* a > b ? a : b, and a < b ? a : b: what is NaN as b stays. */
ANYDIM_INLINE vec pick_greater(vec a, vec b) { return select_(b < a, a, b); }
ANYDIM_INLINE vec pick_less(vec a, vec b) { return select_(a < b, a, b); }

#endif
