// SPDX-License-Identifier: Apache-2.0
// pow for vectors: the very operations of functions.cpp (power64, log64, exp64), which is the normative text, in the same order on
// W doubles at once. Lanes that need one of its special cases go there. Included by functions.inl.h, inside its namespace.
#include "core/kernels/simd/doubles.h"

constexpr double kRounder = 0x1.8p52;  // adding and subtracting it rounds |x| < 2^51 to an integer, ties to even

template <int W> __attribute__((always_inline)) inline Doubles<W> pick(DoubleBits<W> mask, Doubles<W> a, Doubles<W> b) {
  const auto x = __builtin_bit_cast(DoubleBits<W>, a), y = __builtin_bit_cast(DoubleBits<W>, b);
  return __builtin_bit_cast(Doubles<W>, (mask & x) | (~mask & y));
}

// log64 for normal x > 0.
template <int W> __attribute__((always_inline)) inline Doubles<W> log_of_normal(Doubles<W> x) {
  const auto word = __builtin_bit_cast(DoubleBits<W>, x);
  const Doubles<W> half = __builtin_bit_cast(Doubles<W>, (word & 0x000fffffffffffff) | 0x3fe0000000000000);  // in [1/2, 1)
  const DoubleBits<W> low = half < 0x1.6a09e667f3bcdp-1;
  const Doubles<W> m = pick<W>(low, half * 2.0, half);
  // The biased exponent, as a double by way of the rounder's low bits; `low` is -1 where it holds.
  const DoubleBits<W> biased = (word >> 52) + low + __builtin_bit_cast(int64_t, kRounder);
  const Doubles<W> e = (__builtin_bit_cast(Doubles<W>, biased) - kRounder) - 1022.0;
  const Doubles<W> s = (m - 1.0) / (m + 1.0), t = s * s;
  Doubles<W> p{};
#pragma GCC unroll 13
  for (int k = 12; k >= 0; --k) p = p * t + 1.0 / (2 * k + 1);
  return e * 0x1.62e42fee00000p-1 + (2.0 * s * p + e * 0x1.a39ef35793c76p-33);
}

// exp64 for |x| <= 700.
template <int W> __attribute__((always_inline)) inline Doubles<W> exp_of_moderate(Doubles<W> x) {
  const Doubles<W> rounded = x * 0x1.71547652b82fep+0 + kRounder, n = rounded - kRounder;
  const Doubles<W> f = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
  Doubles<W> p = Doubles<W>{} + 1.0;
#pragma GCC unroll 13
  for (int k = 14; k >= 2; --k) p = 1.0 + f / static_cast<double>(k) * p;
  const DoubleBits<W> power = (__builtin_bit_cast(DoubleBits<W>, rounded) + (1023 - __builtin_bit_cast(int64_t, kRounder))) << 52;
  return (1.0 + f * p) * __builtin_bit_cast(Doubles<W>, power);
}

// a[i] = a[i]^n for one integral n, 0 < |n| <= 64: by squaring, with the sign of a if n is odd.
template <int W> __attribute__((always_inline)) inline void integral_power(float* a, double exponent) {
  const auto x = load_doubles<W>(a);
  const auto word = __builtin_bit_cast(DoubleBits<W>, x);
  Doubles<W> base = __builtin_bit_cast(Doubles<W>, word & INT64_MAX), r = Doubles<W>{} + 1.0;
  const auto count = static_cast<unsigned>(exponent < 0.0 ? -exponent : exponent);
  for (unsigned n = count; n != 0; n >>= 1, base *= base)
    if (n & 1) r *= base;
  if (exponent < 0.0) r = 1.0 / r;
  if (count & 1) r = __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, r) | (word & INT64_MIN));
  constexpr double kNan = __builtin_nan("");
  store_floats<W>(a, pick<W>(x == x, r, Doubles<W>{} + kNan));
}

// a[i] = a[i]^b[i] by exp and log where neither has a special case; the lanes that are left to do, one bit each.
template <int W> __attribute__((always_inline)) inline uint32_t plain_power(float* a, const float* b) {
  const auto x = load_doubles<W>(a), exponent = load_doubles<W>(b);
  const auto y = exponent * log_of_normal<W>(x);  // means nothing where x is not positive and finite
  const auto size = __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, exponent) & INT64_MAX);
  const DoubleBits<W> squared = ((size + kRounder) - kRounder == size) & (size <= 64.0);
  const DoubleBits<W> plain = (x > 0.0) & (x < __builtin_inf()) & (y >= -700.0) & (y <= 700.0) & ~squared;
  const auto r = exp_of_moderate<W>(pick<W>(plain, y, Doubles<W>{}));
  store_floats<W>(a, pick<W>(plain, r, x));
  uint32_t left = 0;
  for (int i = 0; i < W; ++i) left |= static_cast<uint32_t>(~plain[i] & 1) << i;
  return left;
}

// a[i] = a[i]^b[i] of n lanes, n a multiple of kDoubles; binary64 within, rounded once. `uniform`: the exponents are equal.
__attribute__((noinline)) inline void power_lanes(float* a, const float* b, int n, bool uniform) {
  const bool integral = uniform && b[0] != 0.f && __builtin_fabsf(b[0]) <= 64.f && __builtin_floorf(b[0]) == b[0];
  for (int i = 0; i < n; i += kDoubles) {
    if (integral) {
      integral_power<kDoubles>(a + i, b[0]);
      continue;
    }
    for (uint32_t left = plain_power<kDoubles>(a + i, b + i); left != 0; left &= left - 1) {
      const int lane = i + __builtin_ctz(left);
      a[lane] = rare_function(BinaryFunction::pow, a[lane], b[lane]);
    }
  }
}
