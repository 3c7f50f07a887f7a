// SPDX-License-Identifier: Apache-2.0
// The element-wise functions on F: the operations of core/kernels/eltwise/functions.inl.h, which is the normative text, in the same
// order. u_NAME(x, a, b) is the unary function of that name with its parameters, b_NAME(x, y) the binary one.

// --- exponential and logarithm ---------------------------------------------------------------------------------------

#define EXP_HIGH 89.f
#define EXP_LOW -0x1.5d589ep+6f

// a * 2^n for integral n, |n| <= 250, rounded once.
static inline F scale_by_power(F a, F n) {
  const I k = TO_I(SELECT(n == n, n, SET(0.f)));
  const I half_k = k >> 1;
  return a * AS_F((half_k + SET_I(127)) << 23) * AS_F((k - half_k + SET_I(127)) << 23);
}
static inline F exp_polynomial(F f) {
  F p = SET(0x1.6a495ep-10f);
  p = fma(p, f, SET(0x1.1239a0p-7f));
  p = fma(p, f, SET(0x1.5558b4p-5f));
  p = fma(p, f, SET(0x1.555492p-3f));
  p = fma(p, f, SET(0x1.fffffcp-2f));
  p = fma(p, f, SET(1.f));
  return fma(p, f, SET(1.f));
}
static inline F exp_in_range(F x) {
  const F magic = SET(0x1.8p23f);
  const F n = fma(x, SET(0x1.715476p+0f), magic) - magic;
  F f = fma(n, SET(-0x1.62e430p-1f), x);
  f = fma(n, SET(0x1.05c610p-29f), f);
  return scale_by_power(exp_polynomial(f), n);
}
static inline F exp_of_small(F x) {
  const F magic = SET(0x1.8p23f);
  const F rounded = fma(x, SET(0x1.715476p+0f), magic), n = rounded - magic;
  F f = fma(n, SET(-0x1.62e430p-1f), x);
  f = fma(n, SET(0x1.05c610p-29f), f);
  return exp_polynomial(f) * AS_F((AS_I(rounded) + SET_I(127)) << 23);
}
static inline F exp_or_zero(F x) { return SELECT(x < SET(EXP_LOW), SET(0.f), exp_in_range(PICK_GREATER(SET(EXP_LOW), x))); }
static inline F exp_of_small_or_zero(F x) { return SELECT(x < SET(EXP_LOW), SET(0.f), exp_of_small(x)); }
static inline F f_exp(F x) { return exp_or_zero(PICK_LESS(SET(EXP_HIGH), x)); }

static inline F f_expm1(F x) {
  x = PICK_GREATER(SET(-25.f), x);
  x = PICK_LESS(SET(EXP_HIGH), x);
  const F magic = SET(0x1.8p23f);
  const F n = fma(x, SET(0x1.715476p+0f), magic) - magic;
  F f = fma(n, SET(-0x1.62e430p-1f), x);
  f = fma(n, SET(0x1.05c610p-29f), f);
  F q = SET(0x1.a26710p-13f);
  q = fma(q, f, SET(0x1.6d3ef6p-10f));
  q = fma(q, f, SET(0x1.110ff4p-7f));
  q = fma(q, f, SET(0x1.5554f4p-5f));
  q = fma(q, f, SET(0x1.555556p-3f));
  q = fma(q, f, SET(0x1p-1f));
  const F p = fma(f * f, q, f);
  const F h = scale_by_power(SET(1.f), n - SET(1.f));
  const F t = fma(p, h, h - SET(0.5f));
  return t + t;
}

static inline F f_log(F x) {
  const I tiny = x < SET(0x1p-126f);
  const F scaled = SELECT(tiny, x * SET(0x1p23f), x);
  const I i = AS_I(scaled);
  const I k = (i - SET_I(0x3f3504f3)) >> 23;
  const F f = AS_F(i - (k << 23)) - SET(1.f);
  const F e = TO_F(k) - SELECT(tiny, SET(23.f), SET(0.f));
  const F s = f * f;
  F p = SET(0x1.13c1b0p-4f);
  p = fma(p, f, SET(-0x1.dda88cp-4f));
  p = fma(p, f, SET(0x1.e6e382p-4f));
  p = fma(p, f, SET(-0x1.fc3c70p-4f));
  p = fma(p, f, SET(0x1.233a80p-3f));
  p = fma(p, f, SET(-0x1.555b92p-3f));
  p = fma(p, f, SET(0x1.99a47cp-3f));
  p = fma(p, f, SET(-0x1.000008p-2f));
  p = fma(p, f, SET(0x1.555548p-2f));
  F y = (f * s) * p;
  y = fma(e, SET(0x1.7f7d1cp-20f), y);
  y = fma(SET(-0.5f), s, y);
  y = f + y;
  y = fma(e, SET(0x1.62e400p-1f), y);
  const F special = SELECT(x == SET(0.f), SET(-INFINITY), SELECT(x == SET(INFINITY), x, SET(NAN)));
  return SELECT((SET(0.f) < x) & (x < SET(INFINITY)), y, special);
}
static inline F log1p_of_fraction(F u) {
  const F w = SET(1.f) + u;
  return f_log(w) + (u - (w - SET(1.f))) / w;
}

// --- hyperbolic tangent, error function -------------------------------------------------------------------------------

static inline F f_tanh(F x) {
  const F a = f_abs(x), s = x * x;
  F p = SET(0x1.1a4aa6p-9f);
  p = fma(p, s, SET(-0x1.0c65eep-7f));
  p = fma(p, s, SET(0x1.63a640p-6f));
  p = fma(p, s, SET(-0x1.b9f192p-5f));
  p = fma(p, s, SET(0x1.11107ap-3f));
  p = fma(p, s, SET(-0x1.555554p-2f));
  const F small = fma(a * s, p, a);
  const F t = PICK_LESS(SET(10.f), a);
  const F large = SET(1.f) - SET(2.f) / (exp_of_small(t + t) + SET(1.f));
  return f_copysign(SELECT(a < SET(0.625f), small, large), x);
}
static inline F f_erf(F x) {
  const F a = f_abs(x), s = x * x;
  F p = SET(0x1.50046ep-14f);
  p = fma(p, s, SET(-0x1.a6336ap-11f));
  p = fma(p, s, SET(0x1.544df2p-8f));
  p = fma(p, s, SET(-0x1.b80166p-6f));
  p = fma(p, s, SET(0x1.ce2d66p-4f));
  p = fma(p, s, SET(-0x1.812740p-2f));
  p = fma(p, s, SET(0x1.06eba8p-3f));
  const F small = fma(a, p, a);
  const F t = PICK_LESS(SET(4.f), a);
  F q = SET(0x1.9e08c8p-17f);
  q = fma(q, t, SET(-0x1.5e2dcep-12f));
  q = fma(q, t, SET(0x1.e367c6p-9f));
  q = fma(q, t, SET(-0x1.86e8dcp-6f));
  q = fma(q, t, SET(0x1.b39c98p-4f));
  q = fma(q, t, SET(0x1.45297ap-1f));
  q = fma(q, t, SET(0x1.20f03cp+0f));
  const F large = SET(1.f) - exp_of_small(f_neg(q * t));
  return f_copysign(SELECT(a < SET(1.f), small, large), x);
}

// --- inverse of sine, cosine and tangent ------------------------------------------------------------------------------

static inline F less_two_parts(F base, F base_low, F u, F v) {
  const F h = base - u;
  return h + (((base - h) - u) - (v - base_low));
}
#define HALF_PI_F 0x1.921fb6p+0f
#define HALF_PI_LOW_F -0x1.777a5cp-25f
static inline void small_arc(F a, F* u, F* v) {
  const F z = SELECT(SET(0.5f) < a, (SET(1.f) - a) * SET(0.5f), a * a);
  F p = SET(0x1.34cdc2p-5f);
  p = fma(p, z, SET(0x1.d51492p-7f));
  p = fma(p, z, SET(0x1.04d35cp-5f));
  p = fma(p, z, SET(0x1.6ca750p-5f));
  p = fma(p, z, SET(0x1.3338acp-4f));
  p = fma(p, z, SET(0x1.55554cp-3f));
  const F root = sqrt(z), twice = root + root;
  const F error = fma(f_neg(root), root, z) / PICK_GREATER(SET(0x1p-60f), twice);
  *u = SELECT(SET(0.5f) < a, twice, a);
  *v = fma(*u * z, p, SELECT(SET(0.5f) < a, error + error, SET(0.f)));
}
static F u_asin(F x, float a_, float b_) {
  const F a = f_abs(x);
  F u, v;
  small_arc(a, &u, &v);
  const F base = SELECT(SET(0.5f) < a, SET(HALF_PI_F), SET(0.f)), low = SELECT(SET(0.5f) < a, SET(HALF_PI_LOW_F), SET(0.f));
  return f_copysign(less_two_parts(base, low, SELECT(SET(0.5f) < a, u, f_neg(u)), SELECT(SET(0.5f) < a, v, f_neg(v))), x);
}
static F u_acos(F x, float a_, float b_) {
  const F a = f_abs(x), zero = SET(0.f), pi = SET(HALF_PI_F) + SET(HALF_PI_F), pi_low = SET(HALF_PI_LOW_F) + SET(HALF_PI_LOW_F);
  F u, v;
  small_arc(a, &u, &v);
  const F base = SELECT(SET(0.5f) < a, SELECT(x < zero, pi, zero), SET(HALF_PI_F));
  const F low = SELECT(SET(0.5f) < a, SELECT(x < zero, pi_low, zero), SET(HALF_PI_LOW_F));
  const F added_u = SELECT(x < zero, u, f_neg(u)), added_v = SELECT(x < zero, v, f_neg(v));
  return less_two_parts(base, low, SELECT(SET(0.5f) < a, added_u, f_neg(added_u)), SELECT(SET(0.5f) < a, added_v, f_neg(added_v)));
}
static F u_atan(F x, float a_, float b_) {
  const F one = SET(1.f), m = f_abs(x), a = PICK_LESS(SET(0x1p100f), m);
  const F t = SELECT(one < a, one, a) / SELECT(one < a, a, one), s = t * t;
  F p = SET(0x1.29687ep-10f);
  p = fma(p, s, SET(-0x1.e6a0ecp-8f));
  p = fma(p, s, SET(0x1.753040p-6f));
  p = fma(p, s, SET(-0x1.7080bap-5f));
  p = fma(p, s, SET(0x1.150a00p-4f));
  p = fma(p, s, SET(-0x1.6953bcp-4f));
  p = fma(p, s, SET(0x1.c51170p-4f));
  p = fma(p, s, SET(-0x1.247620p-3f));
  p = fma(p, s, SET(0x1.99981cp-3f));
  p = fma(p, s, SET(-0x1.555552p-2f));
  const F part = (t * s) * p;
  const F far = less_two_parts(SET(HALF_PI_F), SET(HALF_PI_LOW_F), t, fma(fma(f_neg(a), t, one), t, part));
  return f_copysign(SELECT(one < a, far, t + part), x);
}

// --- activations ------------------------------------------------------------------------------------------------------

static inline F f_relu(F x) { return PICK_GREATER(SET(0.f), x); }
static inline F f_clip(F x, F lo, F hi) {
  const F y = PICK_GREATER(lo, x);
  return PICK_LESS(hi, y);
}
static inline F u_identity(F x, float a, float b) { return x; }
static inline F u_relu(F x, float a, float b) { return f_relu(x); }
static inline F u_leaky_relu(F x, float a, float b) { return SELECT(x < SET(0.f), SET(a) * x, x); }
static inline F u_clip(F x, float a, float b) { return f_clip(x, SET(a), SET(b)); }
static inline F u_hard_sigmoid(F x, float a, float b) { return f_clip(fma(SET(a), x, SET(b)), SET(0.f), SET(1.f)); }
static inline F u_hard_swish(F x, float a, float b) {
  const F gate = f_clip(fma(x, SET(0x1.555556p-3f), SET(0.5f)), SET(0.f), SET(1.f));
  return PICK_GREATER(SET(-3.f), x) * gate;
}
static inline F u_sigmoid(F x, float a, float b) {
  const F e = exp_of_small(f_neg(f_clip(x, SET(EXP_LOW), SET(0x1.5d589ep+6f))));
  return SELECT(x < SET(EXP_LOW), SET(0.f), SET(1.f) / (SET(1.f) + e));
}
static inline F u_silu(F x, float a, float b) {
  const F w = PICK_GREATER(SET(-EXP_HIGH), x), m = f_neg(w);
  return w / (SET(1.f) + exp_in_range(PICK_GREATER(SET(EXP_LOW), m)));
}
static inline F u_quick_gelu(F x, float a, float b) {
  const F d = SET(1.f) + f_exp(f_neg(SET(a) * x));
  return SELECT(d == SET(INFINITY), f_copysign(SET(0.f), x), x / d);
}
static inline F u_gelu_erf(F x, float a, float b) {
  const F m = f_abs(x), t = PICK_LESS(SET(14.375f), m);
  F q = SET(-0x1.23322ep-24f);
  q = fma(q, t, SET(0x1.87b0a8p-20f));
  q = fma(q, t, SET(0x1.059834p-17f));
  q = fma(q, t, SET(-0x1.e172f0p-12f));
  q = fma(q, t, SET(0x1.631574p-8f));
  q = fma(q, t, SET(-0x1.2d59d0p-5f));
  q = fma(q, t, SET(-0x1.45c992p-2f));
  q = fma(q, t, SET(-0x1.988702p-1f));
  return fma(SET(-0.5f) * t, exp_of_small_or_zero(q * t), f_relu(x));
}
static inline F u_gelu_tanh(F x, float a, float b) {
  const F w = PICK_GREATER(SET(-16.f), x);
  const F e = f_exp(w * fma(SET(-0x1.2444f2p-4f), w * w, SET(-0x1.988454p+0f)));
  return w / (SET(1.f) + e);
}
static inline F u_softplus(F x, float a, float b) { return f_relu(x) + log1p_of_fraction(exp_of_small_or_zero(f_neg(f_abs(x)))); }
static inline F u_softsign(F x, float a, float b) {
  const F m = f_abs(x), t = PICK_LESS(SET(1e30f), m);
  return f_copysign(t / (SET(1.f) + t), x);
}
static inline F u_mish(F x, float a, float b) {
  const F w = PICK_GREATER(SET(-104.f), x), e = exp_of_small_or_zero(PICK_LESS(SET(20.f), w));
  const F n = e * (e + SET(2.f));
  return w * (n / (n + SET(2.f)));
}
static inline F u_elu(F x, float a, float b) { return SELECT(x < SET(0.f), SET(a) * f_expm1(x), x); }
static inline F u_selu(F x, float a, float b) { return SET(b) * u_elu(x, a, b); }
static inline F u_celu(F x, float a, float b) { return SELECT(x < SET(0.f), SET(a) * f_expm1(x / SET(a)), x); }
static inline F u_thresholded_relu(F x, float a, float b) { return SELECT(SET(a) < x, x, SET(0.f)); }
static inline F u_shrink(F x, float a, float b) {
  return SELECT(x < f_neg(SET(a)), x + SET(b), SELECT(SET(a) < x, x - SET(b), SET(0.f)));
}
static inline F u_sign(F x, float a, float b) { return SELECT(SET(0.f) < x, SET(1.f), SELECT(x < SET(0.f), SET(-1.f), x)); }
static inline F u_tanh(F x, float a, float b) { return f_tanh(x); }
static inline F u_scaled_tanh(F x, float a, float b) { return SET(a) * f_tanh(SET(b) * x); }
static inline F u_exp(F x, float a, float b) { return f_exp(x); }
static inline F u_log(F x, float a, float b) { return f_log(x); }
static inline F u_sqrt(F x, float a, float b) { return sqrt(x); }
static inline F u_reciprocal(F x, float a, float b) { return SET(1.f) / x; }
static inline F u_abs(F x, float a, float b) { return f_abs(x); }
static inline F u_neg(F x, float a, float b) { return f_neg(x); }
static inline F u_square(F x, float a, float b) { return x * x; }
static inline F u_erf(F x, float a, float b) { return f_erf(x); }
static inline F u_floor(F x, float a, float b) { return floor(x); }
static inline F u_ceil(F x, float a, float b) { return ceil(x); }
static inline F u_round_even(F x, float a, float b) { return rint(x); }
static inline F u_affine(F x, float a, float b) { return fma(SET(a), x, SET(b)); }
// Below 2^-14 the sum with 1/2 rounds to a multiple of 2^-24; above, half of a last place is added to the bits.
static inline F u_round_f16(F x, float a, float b) {
  const F m = f_abs(x);
  const I i = AS_I(m);
  const F rounded = AS_F((i + SET_I(0xfff) + ((i >> 13) & SET_I(1))) & SET_I((int)0xffffe000));
  const F y = SELECT(m < SET(0x1p-14f), (m + SET(0.5f)) - SET(0.5f), SELECT(m < SET(65520.f), rounded, SET(INFINITY)));
  return SELECT(x == x, f_copysign(y, x), x + x);
}
static inline F u_round_bf16(F x, float a, float b) {
  const I i = AS_I(x);
  const I odd = (i >> 16) & SET_I(1);
  const F y = SELECT(x == x, AS_F(i + odd + SET_I(0x7fff)), x + x);
  return AS_F(AS_I(y) & SET_I((int)0xffff0000));
}

// The function of that number, as opencl_kernel.cpp lists them: one program for all of them. A call costs a store of 16 lanes nothing that
// is seen; a copy of each function at each store costs the compiler more than the kernel.
#if W == 16
#define U_COMMON static NO_INLINE
#else
#define U_COMMON static inline
#endif
U_COMMON F u_common(F x, const int function, const float a, const float b) {
  switch (function) {
    case 1: return u_relu(x, a, b);
    case 2: return u_leaky_relu(x, a, b);
    case 3: return u_clip(x, a, b);
    case 4: return u_hard_sigmoid(x, a, b);
    case 5: return u_hard_swish(x, a, b);
    case 6: return u_sigmoid(x, a, b);
    case 7: return u_silu(x, a, b);
    case 8: return u_gelu_erf(x, a, b);
    default: return x;
  }
}

// --- of two elements --------------------------------------------------------------------------------------------------

static inline F b_add(F x, F y) { return x + y; }
static inline F b_sub(F x, F y) { return x - y; }
static inline F b_mul(F x, F y) { return x * y; }
static inline F b_div(F x, F y) { return x / y; }
// NaN if either is NaN, +0 > -0.
static inline F b_max(F x, F y) {
  const F r = SELECT(x == y, AS_F(AS_I(x) & AS_I(y)), SELECT(x > y, x, y));
  return SELECT((x != x) | (y != y), x + y, r);
}
static inline F b_min(F x, F y) {
  const F r = SELECT(x == y, AS_F(AS_I(x) | AS_I(y)), SELECT(x < y, x, y));
  return SELECT((x != x) | (y != y), x + y, r);
}
static inline F b_prelu(F x, F y) { return SELECT(x < SET(0.f), y * x, x); }
