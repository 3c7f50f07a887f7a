// SPDX-License-Identifier: Apache-2.0
// The functions that are computed in binary64, one element at a time: the operations of core/kernels/eltwise/functions.cpp, which is the
// normative text, in the same order. Only for programs that have one of them.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define LN2_HIGH 0x1.62e42fee00000p-1
#define LN2_LOW 0x1.a39ef35793c76p-33
#define NAN64 as_double(0x7ff8000000000000L)
#define INFINITY64 as_double(0x7ff0000000000000L)

// x * 2^n for normal results and for those below, rounded once.
static double times_power(const double x, const int n) {
  if (n > 1000) return x * 0x1p1000 * as_double((long)(min(n - 1000, 1023) + 1023) << 52);
  if (n < -1000) return x * as_double((long)(n + 200 + 1023) << 52) * 0x1p-200;
  return x * as_double((long)(n + 1023) << 52);
}
static double exp_series(const double f) {
  double p = 1.0;
  for (int k = 14; k >= 2; --k) p = 1.0 + f / k * p;
  return f * p;
}
static double exp64(const double x) {
  if (x != x) return x;
  if (x > 709.8) return INFINITY64;
  if (x < -745.2) return 0.0;
  const double n = rint(x * 0x1.71547652b82fep+0);
  const double f = (x - n * LN2_HIGH) - n * LN2_LOW;
  return times_power(1.0 + exp_series(f), (int)n);
}
static double expm1_64(const double x) { return x > -0.35 && x < 0.35 ? exp_series(x) : exp64(x) - 1.0; }
static double twice_atanh(const double s) {
  const double t = s * s;
  double p = 0.0;
  for (int k = 12; k >= 0; --k) p = p * t + 1.0 / (2 * k + 1);
  return 2.0 * s * p;
}
static double log64(double x) {
  if (x != x || x == INFINITY64) return x;
  if (x < 0.0) return NAN64;
  if (x == 0.0) return -INFINITY64;
  int e = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    e = -54;
  }
  const long word = as_long(x);
  e += (int)(word >> 52) - 1022;
  double m = as_double((word & 0x000fffffffffffffL) | 0x3fe0000000000000L);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2.0;
    --e;
  }
  return e * LN2_HIGH + (twice_atanh((m - 1.0) / (m + 1.0)) + e * LN2_LOW);
}
static double log1p_64(const double u) { return u > -0.29 && u < 0.41 ? twice_atanh(u / (2.0 + u)) : log64(1.0 + u); }
static double sign_of(const double magnitude, const double sign) {
  return as_double((as_long(magnitude) & 0x7fffffffffffffffL) | (as_long(sign) & (long)0x8000000000000000UL));
}
// As doubles.inl.h has it, for results of binary32.
static double power_for_floats(const double x, const double b) {
  const ulong word = as_ulong(x);
  const double half_ = as_double((word & 0x000fffffffffffffUL) | 0x3fe0000000000000UL);
  const bool low = half_ < 0x1.6a09e667f3bcdp-1;
  const double e = (double)(int)(word >> 52) - (low ? 1.0 : 0.0) - 1022.0;
  const double m = low ? half_ * 2.0 : half_, s = (m - 1.0) / (m + 1.0), t = s * s;
  double p = 0x1.f17dfd13ae0efp-3;
  p = p * t + 0x1.0bb80a92c80ccp-2;
  p = p * t + 0x1.484fa9965bc9cp-2;
  p = p * t + 0x1.a61756810b0f8p-2;
  p = p * t + 0x1.2776c516a083cp-1;
  p = p * t + 0x1.ec709dc39ca40p-1;
  p = p * t + 0x1.71547652b82ffp+1;
  double v = b * (e + s * p);
  v = v > 1022.0 ? 1022.0 : v < -1022.0 ? -1022.0 : v;
  const double rounded = v + 0x1.8p52, n = rounded - 0x1.8p52, f = v - n;
  double q = 0x1.e6063f7217bc6p-28;
  q = q * f + 0x1.b675bca4eeebbp-24;
  q = q * f + 0x1.62bfd47773353p-20;
  q = q * f + 0x1.ffcb54062e698p-17;
  q = q * f + 0x1.430913096fd9fp-13;
  q = q * f + 0x1.5d87fe9d7a584p-10;
  q = q * f + 0x1.3b2ab6fba1ddap-7;
  q = q * f + 0x1.c6b08d703ce49p-5;
  q = q * f + 0x1.ebfbdff82c598p-3;
  q = q * f + 0x1.62e42fefa3a19p-1;
  q = q * f + 1.0;
  return q * as_double((ulong)((long)n + 1023) << 52);
}
static double power64(const double a, const double b) {
  if (b == 0.0 || a == 1.0) return 1.0;
  if (a != a || b != b) return NAN64;
  if (b == 1.0) return a;
  const double magnitude = fabs(a), size = fabs(b);
  const bool integral = size >= 0x1p53 || floor(b) == b;
  const bool odd = integral && size < 0x1p53 && ((long)size & 1) != 0;
  if (a < 0.0 && !integral && magnitude != INFINITY64) return NAN64;
  double r;
  if (size == INFINITY64) {
    if (magnitude == 1.0) return 1.0;
    r = (magnitude > 1.0) == (b > 0.0) ? INFINITY64 : 0.0;
  } else if (magnitude == 0.0 || magnitude == INFINITY64) {
    r = (magnitude == 0.0) == (b > 0.0) ? 0.0 : INFINITY64;
  } else if (integral && size <= 64.0) {
    double base = magnitude;
    r = 1.0;
    for (uint n = (uint)size; n != 0; n >>= 1, base *= base)
      if (n & 1) r *= base;
    if (b < 0.0) r = 1.0 / r;
  } else {
    r = power_for_floats(magnitude, b);
  }
  return odd && as_long(a) < 0 ? -r : r;
}

#define UNARY_64(name, value)                      \
  static F u_##name(F x_, float a_, float b_) {    \
    float t[W];                                    \
    STORE_ARRAY(x_, t)                                   \
    for (int i = 0; i < W; ++i) {                  \
      const double x = t[i];                       \
      t[i] = (float)(value);                       \
    }                                              \
    return LOAD_ARRAY(t);                                 \
  }
static double sinh64(const double x) {
  const double t = expm1_64(fabs(x));
  return sign_of(t == INFINITY64 ? t : (t + t / (t + 1.0)) / 2.0, x);
}
static double cosh64(const double x) {
  const double t = exp64(fabs(x));
  return (t + 1.0 / t) / 2.0;
}
static double asinh64(const double x) {
  const double a = fabs(x);
  if (a > 1e150) return a == INFINITY64 ? x : sign_of(log64(a) + (LN2_HIGH + LN2_LOW), x);
  return sign_of(log1p_64(a + a * a / (1.0 + sqrt(a * a + 1.0))), x);
}
static double acosh64(const double x) {
  if (x < 1.0) return NAN64;
  if (x > 1e150) return log64(x) + (LN2_HIGH + LN2_LOW);
  const double t = x - 1.0;
  return log1p_64(t + sqrt(2.0 * t + t * t));
}
static double atanh64(const double x) {
  const double a = fabs(x);
  return a > 1.0 ? NAN64 : a == 1.0 ? sign_of(INFINITY64, x) : sign_of(log1p_64(2.0 * a / (1.0 - a)) / 2.0, x);
}
UNARY_64(sinh, sinh64(x))
UNARY_64(cosh, cosh64(x))
UNARY_64(asinh, asinh64(x))
UNARY_64(acosh, acosh64(x))
UNARY_64(atanh, atanh64(x))

static F b_pow(F x_, F y_) {
  float t[W], u[W];
  STORE_ARRAY(x_, t)
  STORE_ARRAY(y_, u)
  for (int i = 0; i < W; ++i) t[i] = u[i] == 2.f ? t[i] * t[i] : (float)power64(t[i], u[i]);
  return LOAD_ARRAY(t);
}
