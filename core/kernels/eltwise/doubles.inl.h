// SPDX-License-Identifier: Apache-2.0
// exp of doubles and what is computed with it, over vectors of any width: the normative text of these functions on f64 (docs/numerics.md,
// section 4), whose bits are those of one lane.
#pragma once

#include "core/kernels/simd/fused_doubles.h"

namespace anydim::ANYDIM_ISA {
namespace {

// Lane by lane; comparisons give masks.
template <int W> __attribute__((always_inline)) inline Doubles<W> chosen(DoubleBits<W> mask, Doubles<W> a, Doubles<W> b) {
  const auto x = __builtin_bit_cast(DoubleBits<W>, a), y = __builtin_bit_cast(DoubleBits<W>, b);
  return __builtin_bit_cast(Doubles<W>, (mask & x) | (~mask & y));
}

// exp(x) and exp(x) - 1. n = round_even(x log2 e), f = x - n ln 2 in two fma, f + f^2/2! + ... + f^13/13! by Horner in fma (the rest
// is below 2^-57), times 2^n in two factors, of which the first product is exact. Measured: 0.6 ulp.
template <int W> __attribute__((always_inline)) inline void exp_of_doubles(Doubles<W> x, Doubles<W>* exp, Doubles<W>* less_one) {
  constexpr double kRounder = 0x1.8p+52;
  const Doubles<W> zero{};
  x = chosen<W>(x > 710.0, zero + 710.0, chosen<W>(x < -746.0, zero - 746.0, x));
  const Doubles<W> rounded = x * 0x1.71547652b82fep+0 + kRounder, n = rounded - kRounder;
  const Doubles<W> f = fused<W>(n, zero - 0x1.abc9e3b39803fp-56, fused<W>(n, zero - 0x1.62e42fefa39efp-1, x));
  constexpr double kFactors[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                 1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2};
  Doubles<W> p = zero + 1.0 / 6227020800.0;
  for (const double c : kFactors) p = fused<W>(p, f, zero + c);
  const Doubles<W> series = fused<W>(f * f, p, f);
  const DoubleBits<W> power = __builtin_bit_cast(DoubleBits<W>, rounded) - 0x4338000000000000;
  const DoubleBits<W> first = ((power + 2048) >> 1) - 1024, second = power - first;
  const Doubles<W> scaled = (1.0 + series) * __builtin_bit_cast(Doubles<W>, (first + 1023) << 52);
  *exp = scaled * __builtin_bit_cast(Doubles<W>, (second + 1023) << 52);
  if (less_one != nullptr) *less_one = chosen<W>(n == zero, series, *exp - 1.0);
}
template <int W> __attribute__((always_inline)) inline Doubles<W> exp_of_doubles(Doubles<W> x) {
  Doubles<W> e;
  exp_of_doubles<W>(x, &e, nullptr);
  return e;
}
// t / (t + 2), t = exp(2 |x|) - 1; 1 beyond 20.
template <int W> __attribute__((always_inline)) inline Doubles<W> tanh_of_doubles(Doubles<W> x) {
  const DoubleBits<W> sign = __builtin_bit_cast(DoubleBits<W>, x) & INT64_MIN;
  const Doubles<W> size = __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, x) & INT64_MAX);
  Doubles<W> e, t;
  exp_of_doubles<W>(size + size, &e, &t);
  const Doubles<W> r = chosen<W>(size > 20.0, Doubles<W>{} + 1.0, t / (t + 2.0));
  return __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, r) | sign);
}
template <int W> __attribute__((always_inline)) inline Doubles<W> sigmoid_of_doubles(Doubles<W> x) {
  return 1.0 / (1.0 + exp_of_doubles<W>(-x));
}
template <int W> __attribute__((always_inline)) inline Doubles<W> silu_of_doubles(Doubles<W> x) {
  x = chosen<W>(x < -709.0, Doubles<W>{} - 709.0, x);
  return x / (1.0 + exp_of_doubles<W>(-x));
}

// x^b of finite x > 0 that binary32 has, for results of binary32. x = m 2^e with m from sqrt(1/2) to sqrt(2), s = (m - 1) / (m + 1), t = s s:
// log2(x) = e + s P(t), P of degree 6, relative error 5e-16; v = b log2(x), held within 1022 of 0, n = round_even(v): Q(v - n) 2^n, Q of
// degree 10, relative error 2e-16. Sums and products are rounded one by one. Both polynomials are Chebyshev's.
template <int W, int N> __attribute__((always_inline)) inline void power_for_floats(Doubles<W> (&x)[N], const Doubles<W> (&b)[N]) {
  constexpr double kRounder = 0x1.8p+52, kMost = 1022.0;
  constexpr double kLog[] = {0x1.0bb80a92c80ccp-2, 0x1.484fa9965bc9cp-2, 0x1.a61756810b0f8p-2,
                             0x1.2776c516a083cp-1, 0x1.ec709dc39ca40p-1, 0x1.71547652b82ffp+1};
  constexpr double kExp[] = {
      0x1.b675bca4eeebbp-24, 0x1.62bfd47773353p-20, 0x1.ffcb54062e698p-17, 0x1.430913096fd9fp-13, 0x1.5d87fe9d7a584p-10,
      0x1.3b2ab6fba1ddap-7,  0x1.c6b08d703ce49p-5,  0x1.ebfbdff82c598p-3,  0x1.62e42fefa3a19p-1,  1.0};
  const Doubles<W> zero{};
  Doubles<W> e[N], s[N], t[N], p[N];
#pragma GCC unroll copies(4)
  for (int j = 0; j < N; ++j) {
    const auto word = __builtin_bit_cast(DoubleBits<W>, x[j]);
    const auto half = __builtin_bit_cast(Doubles<W>, (word & 0x000fffffffffffff) | 0x3fe0000000000000);  // in [1/2, 1)
    const DoubleBits<W> low = half < 0x1.6a09e667f3bcdp-1;
    // The biased exponent as a double by way of the rounder's low bits; `low` is -1 where it holds.
    e[j] = (__builtin_bit_cast(Doubles<W>, (word >> 52) + low + __builtin_bit_cast(int64_t, kRounder)) - kRounder) - 1022.0;
    const Doubles<W> m = chosen<W>(low, half * 2.0, half);
    s[j] = (m - 1.0) / (m + 1.0), t[j] = s[j] * s[j];
    p[j] = zero + 0x1.f17dfd13ae0efp-3;
  }
#pragma GCC unroll copies(8)
  for (const double c : kLog)
#pragma GCC unroll copies(4)
    for (int j = 0; j < N; ++j) p[j] = p[j] * t[j] + c;
#pragma GCC unroll copies(4)
  for (int j = 0; j < N; ++j) {
    Doubles<W> v = b[j] * (e[j] + s[j] * p[j]);
    v = chosen<W>(v > kMost, zero + kMost, chosen<W>(v < -kMost, zero - kMost, v));
    t[j] = v + kRounder;
    s[j] = v - (t[j] - kRounder);
    p[j] = zero + 0x1.e6063f7217bc6p-28;
  }
#pragma GCC unroll copies(12)
  for (const double c : kExp)
#pragma GCC unroll copies(4)
    for (int j = 0; j < N; ++j) p[j] = p[j] * s[j] + c;
#pragma GCC unroll copies(4)
  for (int j = 0; j < N; ++j) {
    const DoubleBits<W> power = (__builtin_bit_cast(DoubleBits<W>, t[j]) + (1023 - __builtin_bit_cast(int64_t, kRounder))) << 52;
    x[j] = p[j] * __builtin_bit_cast(Doubles<W>, power);
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
