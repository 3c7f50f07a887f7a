// SPDX-License-Identifier: Apache-2.0
// The element-wise functions on f32, once, over a vector type V of core/kernels/simd: the normative text of docs/numerics.md, section 4.
// Every instance does the same IEEE operations in the same order: same bits. Error bounds beside each function are in ulp of the result and
// tested in functions_test.cpp. Polynomials are minimax fits of our own (iteratively reweighted least squares at 200 Chebyshev nodes,
// coefficients rounded one by one).
#pragma once

#include <cmath>
#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/lane_functions.inl.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// --- exponential ------------------------------------------------------------------------------------------------

// exp is infinite above; below, where it would be smaller than the smallest normal number 2^-126, it is +0
// (docs/decisions/012-exp-makes-no-denormals.md). kExpLow is the float next to -126 ln 2 from above.
constexpr float kExpHigh = 89.f, kExpLow = -0x1.5d589ep+6f;

// exp(x) for x in [kExpLow, kExpHigh] or NaN.
//   n = round_even(x * log2 e) by adding and subtracting 1.5 * 2^23 (one fma), f = (x - n*ln2_hi) - n*ln2_lo by fma,
//   |f| <= 0.347; exp(f) = 1 + f + f^2 q(f), q of degree 4, relative error 3.2e-9; times 2^n, rounded once.
// Up to 88 (kSmall) 2^n is a normal number: one product with it is enough, and n stands in the last bits of the sum that rounds it.
// The same bits in two thirds of the operations.
template <bool kSmall, class V> inline V exp_by_parts(V x) {
  const V magic = V::set(0x1.8p23f);
  const V rounded = fma(x, V::set(0x1.715476p+0f), magic), n = rounded - magic;
  V f = fma(n, V::set(-0x1.62e430p-1f), x);
  f = fma(n, V::set(0x1.05c610p-29f), f);
  V p = V::set(0x1.6a495ep-10f);
  p = fma(p, f, V::set(0x1.1239a0p-7f));
  p = fma(p, f, V::set(0x1.5558b4p-5f));
  p = fma(p, f, V::set(0x1.555492p-3f));
  p = fma(p, f, V::set(0x1.fffffcp-2f));
  p = fma(p, f, V::set(1.f));
  p = fma(p, f, V::set(1.f));
  if constexpr (kSmall) return p * from_bits(shift_left<23>(bits(rounded) + set_int(x, 127)));
  else return scale_by_power(p, n);
}
template <class V> inline V exp_in_range(V x) { return exp_by_parts<false>(x); }
template <class V> inline V exp_of_small(V x) { return exp_by_parts<true>(x); }
// The same for x below kExpLow, too.
template <class V> inline V exp_or_zero(V x) {
  return select(x < V::set(kExpLow), V::zero(), exp_in_range(pick_greater(V::set(kExpLow), x)));
}
template <class V> inline V exp_of_small_or_zero(V x) {
  return select(x < V::set(kExpLow), V::zero(), exp_of_small(x));  // below, exp_of_small gives anything
}
// Clamps as `x < lo ? lo : x`, so NaN passes. 1 ulp; exp(-inf) = +0, exp(inf) = inf.
template <class V> inline V exp(V x) { return exp_or_zero(pick_less(V::set(kExpHigh), x)); }

// exp(x) - 1 without cancellation: with n and f as above, q of degree 5 and h = 2^(n-1):
//   2 * fma(f + f^2 q(f), h, h - 1/2). Below -25 the result is -1. 2 ulp.
template <class V> inline V expm1(V x) {
  x = pick_less(V::set(kExpHigh), pick_greater(V::set(-25.f), x));
  const V magic = V::set(0x1.8p23f);
  const V n = fma(x, V::set(0x1.715476p+0f), magic) - magic;
  V f = fma(n, V::set(-0x1.62e430p-1f), x);
  f = fma(n, V::set(0x1.05c610p-29f), f);
  V q = V::set(0x1.a26710p-13f);
  q = fma(q, f, V::set(0x1.6d3ef6p-10f));
  q = fma(q, f, V::set(0x1.110ff4p-7f));
  q = fma(q, f, V::set(0x1.5554f4p-5f));
  q = fma(q, f, V::set(0x1.555556p-3f));
  q = fma(q, f, V::set(0x1p-1f));
  const V p = fma(f * f, q, f);
  const V h = scale_by_power(V::set(1.f), n - V::set(1.f));
  const V t = fma(p, h, h - V::set(0.5f));
  return t + t;
}

// --- logarithm --------------------------------------------------------------------------------------------------

// log(x): x = m * 2^e with m in [sqrt(1/2), sqrt(2)) (denormals scaled by 2^23 first), f = m - 1, s = f*f;
//   log(1 + f) = f - s/2 + f s P(f), P of degree 8, relative error 8e-10; the parts enter smallest first:
//   y = (f s) P; y = fma(e, ln2_lo, y); y = fma(-1/2, s, y); y = f + y; y = fma(e, ln2_hi, y), ln2_hi of 16 bits.
//   log(0) = -inf, log(x < 0) = NaN, log(inf) = inf. 1 ulp.
template <class V> inline V log(V x) {
  const auto tiny = x < V::set(0x1p-126f);
  const V scaled = select(tiny, x * V::set(0x1p23f), x);
  const auto i = bits(scaled);
  const auto k = shift_right<23>(i - set_int(x, 0x3f3504f3));
  const V f = from_bits(i - shift_left<23>(k)) - V::set(1.f);
  const V e = to_float(k) - select(tiny, V::set(23.f), V::zero());
  const V s = f * f;
  V p = V::set(0x1.13c1b0p-4f);
  p = fma(p, f, V::set(-0x1.dda88cp-4f));
  p = fma(p, f, V::set(0x1.e6e382p-4f));
  p = fma(p, f, V::set(-0x1.fc3c70p-4f));
  p = fma(p, f, V::set(0x1.233a80p-3f));
  p = fma(p, f, V::set(-0x1.555b92p-3f));
  p = fma(p, f, V::set(0x1.99a47cp-3f));
  p = fma(p, f, V::set(-0x1.000008p-2f));
  p = fma(p, f, V::set(0x1.555548p-2f));
  V y = (f * s) * p;
  y = fma(e, V::set(0x1.7f7d1cp-20f), y);
  y = fma(V::set(-0.5f), s, y);
  y = f + y;
  y = fma(e, V::set(0x1.62e400p-1f), y);
  const V infinity = V::set(__builtin_inff());
  const V special = select(x == V::zero(), neg(infinity), select(x == infinity, x, V::set(__builtin_nanf(""))));
  return select((V::zero() < x) & (x < infinity), y, special);
}

// log(1 + u) for u in [0, 1]: w = 1 + u; log(w) + (u - (w - 1)) / w. 2 ulp.
template <class V> inline V log1p_of_fraction(V u) {
  const V w = V::set(1.f) + u;
  return log(w) + (u - (w - V::set(1.f))) / w;
}

// --- hyperbolic tangent, error function -------------------------------------------------------------------------

// |x| < 0.625: x + x s P(s), s = x^2, P of degree 5, relative error 2e-10; else 1 - 2 / (exp(2|x|) + 1) with |x|
// clamped to 10. The sign is x's, so tanh(-0) = -0. 2 ulp.
template <class V> inline V tanh(V x) {
  const V a = abs(x), s = x * x;
  V p = V::set(0x1.1a4aa6p-9f);
  p = fma(p, s, V::set(-0x1.0c65eep-7f));
  p = fma(p, s, V::set(0x1.63a640p-6f));
  p = fma(p, s, V::set(-0x1.b9f192p-5f));
  p = fma(p, s, V::set(0x1.11107ap-3f));
  p = fma(p, s, V::set(-0x1.555554p-2f));
  const V small = fma(a * s, p, a);
  const V t = pick_less(V::set(10.f), a);
  const V large = V::set(1.f) - V::set(2.f) / (exp_of_small(t + t) + V::set(1.f));
  return copysign(select(a < V::set(0.625f), small, large), x);
}

// |x| < 1: x + x P(s), s = x^2, P of degree 6, relative error 9e-10; else 1 - exp(-t Q(t)), t = |x| clamped to 4, Q of
// degree 6 fitted to -log(erfc(t))/t, relative error 6e-10. The sign is x's. 2 ulp.
template <class V> inline V erf(V x) {
  const V a = abs(x), s = x * x;
  V p = V::set(0x1.50046ep-14f);
  p = fma(p, s, V::set(-0x1.a6336ap-11f));
  p = fma(p, s, V::set(0x1.544df2p-8f));
  p = fma(p, s, V::set(-0x1.b80166p-6f));
  p = fma(p, s, V::set(0x1.ce2d66p-4f));
  p = fma(p, s, V::set(-0x1.812740p-2f));
  p = fma(p, s, V::set(0x1.06eba8p-3f));
  const V small = fma(a, p, a);
  const V t = pick_less(V::set(4.f), a);
  V q = V::set(0x1.9e08c8p-17f);
  q = fma(q, t, V::set(-0x1.5e2dcep-12f));
  q = fma(q, t, V::set(0x1.e367c6p-9f));
  q = fma(q, t, V::set(-0x1.86e8dcp-6f));
  q = fma(q, t, V::set(0x1.b39c98p-4f));
  q = fma(q, t, V::set(0x1.45297ap-1f));
  q = fma(q, t, V::set(0x1.20f03cp+0f));
  const V large = V::set(1.f) - exp_of_small(neg(q * t));
  return copysign(select(a < V::set(1.f), small, large), x);
}

// --- inverse of sine, cosine and tangent ------------------------------------------------------------------------

// base - (u + v), u the larger part: the difference's rounding error is found again (it is exact, as |base| >= |u| or base is 0) and goes
// with the small parts, of which base_low is what base itself lacks. One rounding counts.
template <class V> inline V less_two_parts(V base, V base_low, V u, V v) {
  const V h = base - u;
  return h + (((base - h) - u) - (v - base_low));
}
constexpr float kHalfPiHigh = 0x1.921fb6p+0f, kHalfPiLow = -0x1.777a5cp-25f;

// What asin and acos of x share, a = |x|. Up to 1/2: asin(a) = a + a z P(z) with z = a * a. Beyond: asin(a) = pi/2 - 2 asin(s) with s = sqrt(z),
// z = (1 - a) / 2, which is exact; the root's own error comes back as (z - s * s) / (s + s). u + v is the arc of the smaller angle (twice,
// beyond 1/2). P of degree 5, relative error 3e-10. Beyond 1 the root is NaN.
template <class V> struct SmallArc {
  V u, v;
  typename V::Mask beyond;

  explicit SmallArc(V x) {
    const V a = abs(x);
    beyond = V::set(0.5f) < a;
    const V z = select(beyond, (V::set(1.f) - a) * V::set(0.5f), a * a);
    V p = V::set(0x1.34cdc2p-5f);
    p = fma(p, z, V::set(0x1.d51492p-7f));
    p = fma(p, z, V::set(0x1.04d35cp-5f));
    p = fma(p, z, V::set(0x1.6ca750p-5f));
    p = fma(p, z, V::set(0x1.3338acp-4f));
    p = fma(p, z, V::set(0x1.55554cp-3f));
    const V root = sqrt(z), twice = root + root;
    const V error = fma(neg(root), root, z) / pick_greater(V::set(0x1p-60f), twice);  // 0 where the root is
    u = select(beyond, twice, a);
    v = fma(u * z, p, select(beyond, error + error, V::zero()));
  }
};
// The sign is x's. 0.7 ulp.
template <class V> inline V asin(V x) {
  const SmallArc<V> arc(x);
  const V zero = V::zero(), base = select(arc.beyond, V::set(kHalfPiHigh), zero), low = select(arc.beyond, V::set(kHalfPiLow), zero);
  return copysign(less_two_parts(base, low, select(arc.beyond, arc.u, neg(arc.u)), select(arc.beyond, arc.v, neg(arc.v))), x);
}
// pi/2 - asin(x) up to 1/2; beyond, the arc itself, of a negative x pi less the arc. 0.7 ulp.
template <class V> inline V acos(V x) {
  const SmallArc<V> arc(x);
  const auto negative = x < V::zero();
  const V half = V::set(kHalfPiHigh), half_low = V::set(kHalfPiLow), zero = V::zero();
  const V base = select(arc.beyond, select(negative, half + half, zero), half);
  const V low = select(arc.beyond, select(negative, half_low + half_low, zero), half_low);
  // What is taken from it: up to 1/2 with the sign of x; beyond, added to nothing or taken from pi.
  const auto added = (negative & !arc.beyond) | (arc.beyond & !negative);
  return less_two_parts(base, low, select(added, neg(arc.u), arc.u), select(added, neg(arc.v), arc.v));
}
// a = |x| held at or below 2^100. t = a up to 1, else 1 / a with the quotient's error: t + t s P(s), s = t * t, P of degree 9, relative
// error 5e-10; beyond 1 pi/2 less that. The sign is x's. 1.2 ulp.
template <class V> inline V atan(V x) {
  const V one = V::set(1.f), a = pick_less(V::set(0x1p100f), abs(x));
  const auto beyond = one < a;
  const V t = select(beyond, one, a) / select(beyond, a, one), s = t * t;
  V p = V::set(0x1.29687ep-10f);
  p = fma(p, s, V::set(-0x1.e6a0ecp-8f));
  p = fma(p, s, V::set(0x1.753040p-6f));
  p = fma(p, s, V::set(-0x1.7080bap-5f));
  p = fma(p, s, V::set(0x1.150a00p-4f));
  p = fma(p, s, V::set(-0x1.6953bcp-4f));
  p = fma(p, s, V::set(0x1.c51170p-4f));
  p = fma(p, s, V::set(-0x1.247620p-3f));
  p = fma(p, s, V::set(0x1.99981cp-3f));
  p = fma(p, s, V::set(-0x1.555552p-2f));
  const V part = (t * s) * p;
  const V far = less_two_parts(V::set(kHalfPiHigh), V::set(kHalfPiLow), t, fma(fma(neg(a), t, one), t, part));
  return copysign(select(beyond, far, t + part), x);
}

// --- activations ------------------------------------------------------------------------------------------------
// Where a limit at an infinity is finite, the infinity gives the limit, never NaN.

template <class V> inline V relu(V x) { return pick_greater(V::zero(), x); }  // 0 > x ? 0 : x: NaN and -0 pass

template <class V> inline V clip(V x, V lo, V hi) { return pick_less(hi, pick_greater(lo, x)); }

// x * clip(fma(x, 1/6, 1/2), 0, 1) with the factor x held at or above -3, where the other is 0: -inf gives -0.
template <class V> inline V hard_swish(V x) {
  const V gate = clip(fma(x, V::set(0x1.555556p-3f), V::set(0.5f)), V::zero(), V::set(1.f));
  return pick_greater(V::set(-3.f), x) * gate;
}

// 1 / (1 + exp(-x)); +0 where that is smaller than 2^-126. 2 ulp.
template <class V> inline V sigmoid(V x) {
  const V e = exp_of_small(neg(clip(x, V::set(kExpLow), V::set(-kExpLow))));
  return select(x < V::set(kExpLow), V::zero(), V::set(1.f) / (V::set(1.f) + e));
}

// w / (1 + exp(-w)) with w = x held at or above -89: -89 / inf = -0 for x <= -89 and -inf, where the exact value is
// under 2e-37 in magnitude. 3 ulp above.
template <class V> inline V silu(V x) {
  const V w = pick_greater(V::set(-kExpHigh), x);
  return w / (V::set(1.f) + exp_in_range(pick_greater(V::set(kExpLow), neg(w))));
}

// x / (1 + exp(-(alpha x))); where the denominator is infinite a zero with x's sign.
template <class V> inline V quick_gelu(V x, V alpha) {
  const V d = V::set(1.f) + exp(neg(alpha * x));
  return select(d == V::set(__builtin_inff()), copysign(V::zero(), x), x / d);
}

// x Phi(x) = max(x, 0) - t/2 erfc(t / sqrt 2), t = |x|: erfc is exp(t q(t)) with t held at or below 14.375, where that is exp(-106.7)
// and so 0; q of degree 7 fitted to log(erfc(t / sqrt 2)) / t. +0 at -inf. Absolute error 1.2e-7 * max(|x|, 1); nothing cancels
// where x is negative, so the result fades out with it (2e-3 of it at -4, a fifth at -9).
template <class V> inline V gelu_erf(V x) {
  const V t = pick_less(V::set(14.375f), abs(x));
  V q = V::set(-0x1.23322ep-24f);
  q = fma(q, t, V::set(0x1.87b0a8p-20f));
  q = fma(q, t, V::set(0x1.059834p-17f));
  q = fma(q, t, V::set(-0x1.e172f0p-12f));
  q = fma(q, t, V::set(0x1.631574p-8f));
  q = fma(q, t, V::set(-0x1.2d59d0p-5f));
  q = fma(q, t, V::set(-0x1.45c992p-2f));
  q = fma(q, t, V::set(-0x1.988702p-1f));
  return fma(V::set(-0.5f) * t, exp_of_small_or_zero(q * t), relu(x));
}

// The tanh form, x/2 (1 + tanh u), equals w / (1 + exp(-2u)), u = sqrt(2/pi) (w + 0.044715 w^3); computed as
// w / (1 + exp(w * fma(c1, w*w, c0))), c0 = -2 sqrt(2/pi), c1 = 0.044715 c0, w held at or above -16: -0 at -inf.
// Absolute error 3e-7 * max(|x|, 1).
template <class V> inline V gelu_tanh(V x) {
  const V w = pick_greater(V::set(-16.f), x);
  const V e = exp(w * fma(V::set(-0x1.2444f2p-4f), w * w, V::set(-0x1.988454p+0f)));
  return w / (V::set(1.f) + e);
}

// max(x, 0) + log1p(exp(-|x|)). 3 ulp.
template <class V> inline V softplus(V x) { return relu(x) + log1p_of_fraction(exp_of_small_or_zero(neg(abs(x)))); }

// a = |x| held at or below 1e30; a / (1 + a) with x's sign: +-1 at +-inf.
template <class V> inline V softsign(V x) {
  const V a = pick_less(V::set(1e30f), abs(x));
  return copysign(a / (V::set(1.f) + a), x);
}

// x tanh(softplus(x)) = w n / (n + 2), n = e (e + 2), e = exp(min(w, 20)), w = x held at or above -104: -0 at -inf. 4 ulp.
template <class V> inline V mish(V x) {
  const V w = pick_greater(V::set(-104.f), x), e = exp_of_small_or_zero(pick_less(V::set(20.f), w));
  const V n = e * (e + V::set(2.f));
  return w * (n / (n + V::set(2.f)));
}

template <class V> inline V elu(V x, V alpha) { return select(x < V::zero(), alpha * expm1(x), x); }
template <class V> inline V selu(V x, V alpha, V gamma) { return gamma * elu(x, alpha); }
template <class V> inline V celu(V x, V alpha) { return select(x < V::zero(), alpha * expm1(x / alpha), x); }
// x > alpha ? x : 0. x < -alpha ? x + beta : x > alpha ? x - beta : 0.
template <class V> inline V thresholded_relu(V x, V alpha) { return select(alpha < x, x, V::zero()); }
template <class V> inline V shrink(V x, V alpha, V beta) {
  return select(x < neg(alpha), x + beta, select(alpha < x, x - beta, V::zero()));
}
// 1 for x > 0, -1 for x < 0, x itself for zeros and NaN.
template <class V> inline V sign(V x) { return select(V::zero() < x, V::set(1.f), select(x < V::zero(), V::set(-1.f), x)); }

// The nearest bfloat16: half of a last place is added to the bits, less one below an even number. A NaN becomes quiet.
template <class V> inline V round_bf16(V x) {
  const auto upper = set_int(x, static_cast<int32_t>(0xffff0000u)), b = bits(x);
  const auto odd = shift_right<16>(b) & set_int(x, 1);
  return from_bits(bits(select(is_nan(x), x + x, from_bits(b + odd + set_int(x, 0x7fff)))) & upper);
}

// --- functions computed in binary64 (functions.cpp) ---------------------------------------------------

template <class V> inline V by_lane(UnaryFunction f, V x) {
  float t[V::kWidth];
  x.store(t);
  for (int i = 0; i < V::kWidth; ++i) t[i] = rare_function(f, t[i]);
  return V::load(t);
}
template <class V> inline V by_lane(BinaryFunction f, V a, V b) {
  float s[V::kWidth], t[V::kWidth];
  a.store(s);
  b.store(t);
  for (int i = 0; i < V::kWidth; ++i) s[i] = rare_function(f, s[i], t[i]);
  return V::load(s);
}
// Of vectors that are arrays of floats the arcs go one by one (functions.cpp): unrolled they are 9 kB in each file that has a chain.
template <class V> constexpr bool kArcsInPlace = V::kWidth == 1 || alignof(V) > alignof(float);
template <class V> inline V in_doubles(UnaryFunction f, V x) {
  if constexpr (V::kWidth < kLanes64) return by_lane(f, x);
  float t[V::kWidth];
  x.store(t);
  lane_functions().function(f, t, V::kWidth);
  return V::load(t);
}
// pow(a, 2) = a * a, one rounding; the rest in binary64, some vectors at a time.
template <class V> inline void pow(V* a, const V* b, int n) {
  if constexpr (V::kWidth < kLanes64) {
    for (int i = 0; i < n; ++i) a[i] = select(b[i] == V::set(2.f), a[i] * a[i], by_lane(BinaryFunction::pow, a[i], b[i]));
    return;
  }
  constexpr int kSome = 8;
  for (int i = 0; i < n; i += kSome) {
    const int now = n - i < kSome ? n - i : kSome;
    const V exponent = V::set(first(b[i]));
    auto other = !(b[i] == exponent);
    for (int k = 1; k < now; ++k) other = other | !(b[i + k] == exponent);
    const bool uniform = !any(other);
    if (uniform && first(exponent) == 2.f) {
      for (int k = 0; k < now; ++k) a[i + k] = a[i + k] * a[i + k];
      continue;
    }
    float s[kSome * V::kWidth], t[kSome * V::kWidth];
    for (int k = 0; k < now; ++k) {
      a[i + k].store(s + k * V::kWidth);
      b[i + k].store(t + k * V::kWidth);
    }
    lane_functions().power(s, t, now * V::kWidth, uniform);
    for (int k = 0; k < now; ++k) a[i + k] = select(b[i + k] == V::set(2.f), a[i + k] * a[i + k], V::load(s + k * V::kWidth));
  }
}
template <class V> inline V modulo(BinaryFunction f, V a, V b) {
  if constexpr (V::kWidth < kLanes64) return by_lane(f, a, b);
  float s[V::kWidth], t[V::kWidth];
  a.store(s);
  b.store(t);
  lane_functions().modulo(f, s, t, V::kWidth);
  return V::load(s);
}

// --- by name ----------------------------------------------------------------------------------------------------

// Applies a function to n vectors in place. The switch is outside the loop and the function is never inlined: an
// epilogue that calls it stays small, and costs one call per strip.
template <class V> __attribute__((noinline)) void apply(UnaryFunction function, float alpha, float beta, V* strip, int n) {
  const V a = V::set(alpha), b = V::set(beta);
  auto each = [&](auto f) __attribute__((always_inline)) {
    for (int i = 0; i < n; ++i) strip[i] = f(strip[i]);
  };
  switch (function) {
    case UnaryFunction::identity: return;
    case UnaryFunction::relu: return each([](V x) { return relu(x); });
    case UnaryFunction::leaky_relu: return each([&](V x) { return select(x < V::zero(), a * x, x); });
    case UnaryFunction::clip: return each([&](V x) { return clip(x, a, b); });
    case UnaryFunction::hard_sigmoid: return each([&](V x) { return clip(fma(a, x, b), V::zero(), V::set(1.f)); });
    case UnaryFunction::hard_swish: return each([](V x) { return hard_swish(x); });
    case UnaryFunction::sigmoid: return each([](V x) { return sigmoid(x); });
    case UnaryFunction::silu: return each([](V x) { return silu(x); });
    case UnaryFunction::tanh: return each([](V x) { return tanh(x); });
    case UnaryFunction::exp: return each([](V x) { return exp(x); });
    case UnaryFunction::log: return each([](V x) { return log(x); });
    case UnaryFunction::sqrt: return each([](V x) { return sqrt(x); });
    case UnaryFunction::reciprocal: return each([](V x) { return V::set(1.f) / x; });
    case UnaryFunction::abs: return each([](V x) { return abs(x); });
    case UnaryFunction::neg: return each([](V x) { return neg(x); });
    case UnaryFunction::square: return each([](V x) { return x * x; });
    case UnaryFunction::erf: return each([](V x) { return erf(x); });
    case UnaryFunction::gelu_erf: return each([](V x) { return gelu_erf(x); });
    case UnaryFunction::gelu_tanh: return each([](V x) { return gelu_tanh(x); });
    case UnaryFunction::softplus: return each([](V x) { return softplus(x); });
    case UnaryFunction::softsign: return each([](V x) { return softsign(x); });
    case UnaryFunction::mish: return each([](V x) { return mish(x); });
    case UnaryFunction::elu: return each([&](V x) { return elu(x, a); });
    case UnaryFunction::selu: return each([&](V x) { return selu(x, a, b); });
    case UnaryFunction::celu: return each([&](V x) { return celu(x, a); });
    case UnaryFunction::thresholded_relu: return each([&](V x) { return thresholded_relu(x, a); });
    case UnaryFunction::shrink: return each([&](V x) { return shrink(x, a, b); });
    case UnaryFunction::floor: return each([](V x) { return floor(x); });
    case UnaryFunction::ceil: return each([](V x) { return ceil(x); });
    case UnaryFunction::round_even: return each([](V x) { return round_even(x); });
    case UnaryFunction::sign: return each([](V x) { return sign(x); });
    case UnaryFunction::affine: return each([&](V x) { return fma(a, x, b); });
    case UnaryFunction::quick_gelu: return each([&](V x) { return quick_gelu(x, a); });
    case UnaryFunction::scaled_tanh: return each([&](V x) { return a * tanh(b * x); });
    case UnaryFunction::asin:
      if constexpr (kArcsInPlace<V>) return each([](V x) { return asin(x); });
      return each([&](V x) { return by_lane(function, x); });
    case UnaryFunction::acos:
      if constexpr (kArcsInPlace<V>) return each([](V x) { return acos(x); });
      return each([&](V x) { return by_lane(function, x); });
    case UnaryFunction::atan:
      if constexpr (kArcsInPlace<V>) return each([](V x) { return atan(x); });
      return each([&](V x) { return by_lane(function, x); });
    case UnaryFunction::round_f16: return each([](V x) { return round_f16(x); });
    case UnaryFunction::round_bf16: return each([](V x) { return round_bf16(x); });
    case UnaryFunction::sin:
    case UnaryFunction::cos:
    case UnaryFunction::tan:
    case UnaryFunction::sinh:
    case UnaryFunction::cosh:
    case UnaryFunction::asinh:
    case UnaryFunction::acosh:
    case UnaryFunction::atanh: return each([&](V x) { return in_doubles(function, x); });
    default: return each([&](V x) { return by_lane(function, x); });
  }
}

// a[i] = function(a[i], b[i]), in place.
template <class V> __attribute__((noinline)) void apply(BinaryFunction function, V* a, const V* b, int n) {
  auto each = [&](auto f) __attribute__((always_inline)) {
    for (int i = 0; i < n; ++i) a[i] = f(a[i], b[i]);
  };
  switch (function) {
    case BinaryFunction::add: return each([](V x, V y) { return x + y; });
    case BinaryFunction::sub: return each([](V x, V y) { return x - y; });
    case BinaryFunction::mul: return each([](V x, V y) { return x * y; });
    case BinaryFunction::div: return each([](V x, V y) { return x / y; });
    case BinaryFunction::min: return each([](V x, V y) { return min(x, y); });
    case BinaryFunction::max: return each([](V x, V y) { return max(x, y); });
    case BinaryFunction::pow: return pow(a, b, n);
    case BinaryFunction::prelu: return each([](V x, V y) { return select(x < V::zero(), y * x, x); });
    case BinaryFunction::mod_floor:
    case BinaryFunction::mod_trunc: return each([&](V x, V y) { return modulo(function, x, y); });
    default: return each([&](V x, V y) { return by_lane(function, x, y); });
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
