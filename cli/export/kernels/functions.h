/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of elements, docs/numerics.md, section 4: the operations of core/kernels/eltwise/functions.inl.h in their order. */
#ifndef ANYDIM_FUNCTIONS_H
#define ANYDIM_FUNCTIONS_H

#include "vectors.h"

#define EXP_HIGH 89.f
#define EXP_LOW (-0x1.5d589ep+6f) /* below, exp is +0 */

ANYDIM_INLINE vec power_of_two(vec a, vec n) { /* a * 2^n, rounded once */
#if ANYDIM_LANES == 1
  const int32_t k = (int32_t)(n == n ? n : 0.f), half = k >> 1;
  return a * from_bits(shift_left(half + 127, 23)) * from_bits(shift_left(k - half + 127, 23));
#else
  const vec whole = select_(n == n, n, splat(0.f)) + splat(0x1.8p23f);
  const ivec k = bits_(whole) - set_int(0x4b400000), half = shift_right(k, 1);
  return a * from_bits(shift_left(half + set_int(127), 23)) * from_bits(shift_left(k - half + set_int(127), 23));
#endif
}
/* exp(x) for x in [EXP_LOW, EXP_HIGH] or NaN. */
ANYDIM_INLINE vec exp_parts(vec x, int small) {
  const vec magic = splat(0x1.8p23f);
  const vec rounded = fma_(x, splat(0x1.715476p+0f), magic), n = rounded - magic;
  vec f = fma_(n, splat(-0x1.62e430p-1f), x), p;
  f = fma_(n, splat(0x1.05c610p-29f), f);
  p = splat(0x1.6a495ep-10f);
  p = fma_(p, f, splat(0x1.1239a0p-7f));
  p = fma_(p, f, splat(0x1.5558b4p-5f));
  p = fma_(p, f, splat(0x1.555492p-3f));
  p = fma_(p, f, splat(0x1.fffffcp-2f));
  p = fma_(p, f, splat(1.f));
  p = fma_(p, f, splat(1.f));
  if (small) return p * from_bits(shift_left(add_int(bits_(rounded), set_int(127)), 23));
  return power_of_two(p, n);
}
ANYDIM_INLINE vec exp_in_range(vec x) { return exp_parts(x, 0); }
ANYDIM_INLINE vec exp_of_small(vec x) { return exp_parts(x, 1); }
ANYDIM_INLINE vec exp_of_small_or_zero(vec x) { return select_(x < splat(EXP_LOW), splat(0.f), exp_of_small(x)); }
ANYDIM_INLINE vec exp_(vec x) {
  x = pick_less(splat(EXP_HIGH), x);
  return select_(x < splat(EXP_LOW), splat(0.f), exp_in_range(pick_greater(splat(EXP_LOW), x)));
}
ANYDIM_INLINE vec expm1_(vec x) {
  const vec magic = splat(0x1.8p23f);
  vec n, f, q, p, h, t;
  x = pick_less(splat(EXP_HIGH), pick_greater(splat(-25.f), x));
  n = fma_(x, splat(0x1.715476p+0f), magic) - magic;
  f = fma_(n, splat(-0x1.62e430p-1f), x);
  f = fma_(n, splat(0x1.05c610p-29f), f);
  q = splat(0x1.a26710p-13f);
  q = fma_(q, f, splat(0x1.6d3ef6p-10f));
  q = fma_(q, f, splat(0x1.110ff4p-7f));
  q = fma_(q, f, splat(0x1.5554f4p-5f));
  q = fma_(q, f, splat(0x1.555556p-3f));
  q = fma_(q, f, splat(0x1p-1f));
  p = fma_(f * f, q, f);
  h = power_of_two(splat(1.f), n - splat(1.f));
  t = fma_(p, h, h - splat(0.5f));
  return t + t;
}
ANYDIM_INLINE vec log_(vec x) {
  const ivec tiny = x < splat(0x1p-126f);
  const vec scaled = select_(tiny, x * splat(0x1p23f), x), infinity = from_bits(set_int(0x7f800000));
  const ivec i = bits_(scaled), k = shift_right(add_int(i, set_int(-0x3f3504f3)), 23);
  const vec f = from_bits(add_int(i, -shift_left(k, 23))) - splat(1.f);
  const vec e = to_float(k) - select_(tiny, splat(23.f), splat(0.f));
  const vec s = f * f;
  vec p = splat(0x1.13c1b0p-4f), y, special;
  p = fma_(p, f, splat(-0x1.dda88cp-4f));
  p = fma_(p, f, splat(0x1.e6e382p-4f));
  p = fma_(p, f, splat(-0x1.fc3c70p-4f));
  p = fma_(p, f, splat(0x1.233a80p-3f));
  p = fma_(p, f, splat(-0x1.555b92p-3f));
  p = fma_(p, f, splat(0x1.99a47cp-3f));
  p = fma_(p, f, splat(-0x1.000008p-2f));
  p = fma_(p, f, splat(0x1.555548p-2f));
  y = (f * s) * p;
  y = fma_(e, splat(0x1.7f7d1cp-20f), y);
  y = fma_(splat(-0.5f), s, y);
  y = f + y;
  y = fma_(e, splat(0x1.62e400p-1f), y);
  special = select_(x == splat(0.f), neg_(infinity), select_(x == infinity, x, from_bits(set_int(0x7fc00000))));
  return select_((splat(0.f) < x) & (x < infinity), y, special);
}
ANYDIM_INLINE vec log1p_of_fraction(vec u) {
  const vec w = splat(1.f) + u;
  return log_(w) + (u - (w - splat(1.f))) / w;
}
ANYDIM_INLINE vec tanh_(vec x) {
  const vec a = abs_(x), s = x * x;
  vec p = splat(0x1.1a4aa6p-9f), small, t, large;
  p = fma_(p, s, splat(-0x1.0c65eep-7f));
  p = fma_(p, s, splat(0x1.63a640p-6f));
  p = fma_(p, s, splat(-0x1.b9f192p-5f));
  p = fma_(p, s, splat(0x1.11107ap-3f));
  p = fma_(p, s, splat(-0x1.555554p-2f));
  small = fma_(a * s, p, a);
  t = pick_less(splat(10.f), a);
  large = splat(1.f) - splat(2.f) / (exp_of_small(t + t) + splat(1.f));
  return copysign_(select_(a < splat(0.625f), small, large), x);
}
ANYDIM_INLINE vec erf_(vec x) {
  const vec a = abs_(x), s = x * x;
  vec p = splat(0x1.50046ep-14f), q, small, t, large;
  p = fma_(p, s, splat(-0x1.a6336ap-11f));
  p = fma_(p, s, splat(0x1.544df2p-8f));
  p = fma_(p, s, splat(-0x1.b80166p-6f));
  p = fma_(p, s, splat(0x1.ce2d66p-4f));
  p = fma_(p, s, splat(-0x1.812740p-2f));
  p = fma_(p, s, splat(0x1.06eba8p-3f));
  small = fma_(a, p, a);
  t = pick_less(splat(4.f), a);
  q = splat(0x1.9e08c8p-17f);
  q = fma_(q, t, splat(-0x1.5e2dcep-12f));
  q = fma_(q, t, splat(0x1.e367c6p-9f));
  q = fma_(q, t, splat(-0x1.86e8dcp-6f));
  q = fma_(q, t, splat(0x1.b39c98p-4f));
  q = fma_(q, t, splat(0x1.45297ap-1f));
  q = fma_(q, t, splat(0x1.20f03cp+0f));
  large = splat(1.f) - exp_of_small(neg_(q * t));
  return copysign_(select_(a < splat(1.f), small, large), x);
}
ANYDIM_INLINE vec relu_(vec x) { return pick_greater(splat(0.f), x); }
ANYDIM_INLINE vec clip_(vec x, vec lo, vec hi) { return pick_less(hi, pick_greater(lo, x)); }
ANYDIM_INLINE vec hard_swish_(vec x) {
  const vec gate = clip_(fma_(x, splat(0x1.555556p-3f), splat(0.5f)), splat(0.f), splat(1.f));
  return pick_greater(splat(-3.f), x) * gate;
}
ANYDIM_INLINE vec sigmoid_(vec x) {
  const vec e = exp_of_small(neg_(clip_(x, splat(EXP_LOW), splat(-EXP_LOW))));
  return select_(x < splat(EXP_LOW), splat(0.f), splat(1.f) / (splat(1.f) + e));
}
ANYDIM_INLINE vec silu_(vec x) {
  const vec w = pick_greater(splat(-EXP_HIGH), x);
  return w / (splat(1.f) + exp_in_range(pick_greater(splat(EXP_LOW), neg_(w))));
}
ANYDIM_INLINE vec quick_gelu_(vec x, vec alpha) {
  const vec d = splat(1.f) + exp_(neg_(alpha * x));
  return select_(d == from_bits(set_int(0x7f800000)), copysign_(splat(0.f), x), x / d);
}
ANYDIM_INLINE vec gelu_erf_(vec x) {
  const vec t = pick_less(splat(14.375f), abs_(x));
  vec q = splat(-0x1.23322ep-24f);
  q = fma_(q, t, splat(0x1.87b0a8p-20f));
  q = fma_(q, t, splat(0x1.059834p-17f));
  q = fma_(q, t, splat(-0x1.e172f0p-12f));
  q = fma_(q, t, splat(0x1.631574p-8f));
  q = fma_(q, t, splat(-0x1.2d59d0p-5f));
  q = fma_(q, t, splat(-0x1.45c992p-2f));
  q = fma_(q, t, splat(-0x1.988702p-1f));
  return fma_(splat(-0.5f) * t, exp_of_small_or_zero(q * t), relu_(x));
}
ANYDIM_INLINE vec gelu_tanh_(vec x) {
  const vec w = pick_greater(splat(-16.f), x);
  const vec e = exp_(w * fma_(splat(-0x1.2444f2p-4f), w * w, splat(-0x1.988454p+0f)));
  return w / (splat(1.f) + e);
}
ANYDIM_INLINE vec softplus_(vec x) { return relu_(x) + log1p_of_fraction(exp_of_small_or_zero(neg_(abs_(x)))); }
ANYDIM_INLINE vec softsign_(vec x) {
  const vec a = pick_less(splat(1e30f), abs_(x));
  return copysign_(a / (splat(1.f) + a), x);
}
ANYDIM_INLINE vec mish_(vec x) {
  const vec w = pick_greater(splat(-104.f), x), e = exp_of_small_or_zero(pick_less(splat(20.f), w));
  const vec n = e * (e + splat(2.f));
  return w * (n / (n + splat(2.f)));
}
ANYDIM_INLINE vec elu_(vec x, vec alpha) { return select_(x < splat(0.f), alpha * expm1_(x), x); }
ANYDIM_INLINE vec shrink_(vec x, vec alpha, vec beta) {
  return select_(x < neg_(alpha), x + beta, select_(alpha < x, x - beta, splat(0.f)));
}
ANYDIM_INLINE vec sign_(vec x) { return select_(splat(0.f) < x, splat(1.f), select_(x < splat(0.f), splat(-1.f), x)); }
ANYDIM_INLINE vec max_(vec a, vec b) { /* NaN if either is; +0 > -0 */
  const ivec nan = (a != a) | (b != b);
  return select_(nan, a + b, select_(a == b, from_bits(bits_(a) & bits_(b)), select_(b < a, a, b)));
}
ANYDIM_INLINE vec min_(vec a, vec b) {
  const ivec nan = (a != a) | (b != b);
  return select_(nan, a + b, select_(a == b, from_bits(bits_(a) | bits_(b)), select_(a < b, a, b)));
}
/* To whole numbers, where there are any: of up to 2^23 the sum with 1.5 * 2^23 rounds to the nearest even one. Signs of zeros stay. */
ANYDIM_INLINE vec round_even_(vec x) {
  const vec magic = splat(0x1p23f), a = abs_(x);
  return select_(a < magic, copysign_((a + magic) - magic, x), x);
}
ANYDIM_INLINE vec floor_(vec x) {
  const vec r = round_even_(x);
  return select_(abs_(x) < splat(0x1p23f), copysign_(select_(x < r, r - splat(1.f), r), x), x);
}
ANYDIM_INLINE vec ceil_(vec x) {
  const vec r = round_even_(x);
  return select_(abs_(x) < splat(0x1p23f), copysign_(select_(r < x, r + splat(1.f), r), x), x);
}

/* v[i] = function(v[i]) for n elements, n a multiple of the lanes. */
#define EACH(expression)                  \
  for (i = 0; i < n; i += ANYDIM_LANES) { \
    const vec x = load(v + i);            \
    store(v + i, expression);             \
  }                                       \
  return
static ANYDIM_UNUSED void unary_function(int function, float alpha, float beta, float* v, int n) {
  const vec a = splat(alpha), b = splat(beta);
  int i = 0;
  (void)a;
  (void)b;
  (void)v;
  (void)i;
  (void)n;
  switch (function) {
    case ANYDIM_relu: EACH(relu_(x));
    case ANYDIM_leaky_relu: EACH(select_(x < splat(0.f), a * x, x));
    case ANYDIM_clip: EACH(clip_(x, a, b));
    case ANYDIM_hard_sigmoid: EACH(clip_(fma_(a, x, b), splat(0.f), splat(1.f)));
    case ANYDIM_hard_swish: EACH(hard_swish_(x));
    case ANYDIM_sigmoid: EACH(sigmoid_(x));
    case ANYDIM_silu: EACH(silu_(x));
    case ANYDIM_tanh: EACH(tanh_(x));
    case ANYDIM_exp: EACH(exp_(x));
    case ANYDIM_log: EACH(log_(x));
    case ANYDIM_sqrt: EACH(sqrt_(x));
    case ANYDIM_reciprocal: EACH(splat(1.f) / x);
    case ANYDIM_abs: EACH(abs_(x));
    case ANYDIM_neg: EACH(neg_(x));
    case ANYDIM_square: EACH(x * x);
    case ANYDIM_erf: EACH(erf_(x));
    case ANYDIM_gelu_erf: EACH(gelu_erf_(x));
    case ANYDIM_gelu_tanh: EACH(gelu_tanh_(x));
    case ANYDIM_softplus: EACH(softplus_(x));
    case ANYDIM_softsign: EACH(softsign_(x));
    case ANYDIM_mish: EACH(mish_(x));
    case ANYDIM_elu: EACH(elu_(x, a));
    case ANYDIM_selu: EACH(b * elu_(x, a));
    case ANYDIM_celu: EACH(select_(x < splat(0.f), a * expm1_(x / a), x));
    case ANYDIM_thresholded_relu: EACH(select_(a < x, x, splat(0.f)));
    case ANYDIM_shrink: EACH(shrink_(x, a, b));
    case ANYDIM_floor: EACH(floor_(x));
    case ANYDIM_ceil: EACH(ceil_(x));
    case ANYDIM_round_even: EACH(round_even_(x));
    case ANYDIM_sign: EACH(sign_(x));
    case ANYDIM_affine: EACH(fma_(a, x, b));
    case ANYDIM_quick_gelu: EACH(quick_gelu_(x, a));
    case ANYDIM_scaled_tanh: EACH(a * tanh_(b * x));
    default: return;
  }
}
#undef EACH

/* to[i] = function(first[i], second[i]) for rows of n elements; rows lie steps apart. */
typedef struct pairs {
  const float *first, *second;
  float* to;
  int64_t first_step, second_step, to_step;
  int64_t rows;
  int n;
} pairs;
#define EACH(expression)                                                         \
  for (r = 0; r < p->rows; ++r) {                                                \
    int i;                                                                       \
    for (i = 0; i < whole; i += ANYDIM_LANES) {                                  \
      const vec x = load(first + i), y = load(second + i);                       \
      store(to + i, expression);                                                 \
    }                                                                            \
    if (rest > 0) {                                                              \
      const vec x = load_some(first + i, rest), y = load_some(second + i, rest); \
      store_some(to + i, expression, rest);                                      \
    }                                                                            \
    first += p->first_step;                                                      \
    second += p->second_step;                                                    \
    to += p->to_step;                                                            \
  }                                                                              \
  return
static ANYDIM_UNUSED void binary_rows(int function, const pairs* p) {
  const int rest = p->n % ANYDIM_LANES, whole = p->n - rest;
  const float *first = p->first, *second = p->second;
  float* to = p->to;
  int64_t r = 0;
  (void)whole;
  (void)first;
  (void)second;
  (void)to;
  (void)r;
  switch (function) {
    case ANYDIM_add: EACH(x + y);
    case ANYDIM_sub: EACH(x - y);
    case ANYDIM_mul: EACH(x * y);
    case ANYDIM_div: EACH(x / y);
    case ANYDIM_min: EACH(min_(x, y));
    case ANYDIM_max: EACH(max_(x, y));
    case ANYDIM_prelu: EACH(select_(x < splat(0.f), y * x, x));
    default: return;
  }
}
#undef EACH

/* v[i] = function(v[i], t[i]); reversed: function(t[i], v[i]). */
static ANYDIM_UNUSED void binary_function(int function, int reversed, float* v, const float* t, int n) {
  pairs p;
  p.first = reversed ? t : v;
  p.second = reversed ? v : t;
  p.to = v;
  p.first_step = p.second_step = p.to_step = 0;
  p.rows = 1;
  p.n = n;
  binary_rows(function, &p);
}

#endif
