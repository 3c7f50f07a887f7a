// SPDX-License-Identifier: Apache-2.0
// sin, cos and tan of f32, atan of f64 for vectors: the very operations of functions.cpp (trigonometric, atan64), which is the normative text,
// in the same order on W doubles at once. Angles that are large, infinite or NaN go there.
#pragma once

#include "core/kernels/eltwise/power.inl.h"

namespace anydim::ANYDIM_ISA {
namespace {

// |x| less a multiple of pi/2, where it is below 2^20: there `moderate` is set.
template <int W> struct AngleRest {
  DoubleBits<W> word, moderate, quadrant;
  Doubles<W> rest;
};
template <int W> __attribute__((always_inline)) inline AngleRest<W> rest_of_angles(Doubles<W> x) {
  const auto word = __builtin_bit_cast(DoubleBits<W>, x);
  const auto size = __builtin_bit_cast(Doubles<W>, word & INT64_MAX);
  const DoubleBits<W> moderate = size < 0x1p20, small = size < static_cast<double>(0.7f);
  const Doubles<W> rounded = size * 0x1.45f306dc9c883p-1 + kRounder, k = rounded - kRounder;
  const auto rest = ((size - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
  return {word, moderate, ~small & __builtin_bit_cast(DoubleBits<W>, rounded), pick<W>(small, size, rest)};
}
constexpr double kShortSine[] = {1.0 / 210, 1.0 / 156, 1.0 / 110, 1.0 / 72, 1.0 / 42, 1.0 / 20, 1.0 / 6};
constexpr double kShortCosine[] = {1.0 / 182, 1.0 / 132, 1.0 / 90, 1.0 / 56, 1.0 / 30, 1.0 / 12, 1.0 / 2};

// a[i] = its sine or cosine where |a[i]| < 2^20; the lanes that are left to do, one bit each.
template <int W> __attribute__((always_inline)) inline uint32_t moderate_angles(float* a, bool cosine) {
  const auto x = load_doubles<W>(a);
  const AngleRest<W> of = rest_of_angles<W>(x);
  const Doubles<W> r = of.rest;
  // A cosine is the sine of the next quadrant, but for its series in this one.
  const DoubleBits<W> quadrant = of.quadrant + (cosine ? 1 : 0);
  const DoubleBits<W> sine = (quadrant & 1) - 1;
  const Doubles<W> s = r * r;
  Doubles<W> p = Doubles<W>{} + 1.0;
#pragma GCC unroll copies(7)
  for (int i = 0; i < 7; ++i) p = 1.0 - s * pick<W>(sine, Doubles<W>{} + kShortSine[i], Doubles<W>{} + kShortCosine[i]) * p;
  const Doubles<W> v = pick<W>(sine, r * p, p);
  const DoubleBits<W> negative = ((quadrant & 2) << 62) ^ (cosine ? DoubleBits<W>{} : of.word & INT64_MIN);
  const auto y = __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, v) ^ negative);
  store_floats<W>(a, pick<W>(of.moderate, y, x));
  return lanes_without<W>(of.moderate);
}
// The same of tangents, which take both series.
template <int W> __attribute__((always_inline)) inline uint32_t moderate_tangents(float* a) {
  const auto x = load_doubles<W>(a);
  const AngleRest<W> of = rest_of_angles<W>(x);
  const Doubles<W> s = of.rest * of.rest;
  Doubles<W> p = Doubles<W>{} + 1.0, cosine = p;
#pragma GCC unroll copies(7)
  for (int i = 0; i < 7; ++i) {
    p = 1.0 - s * kShortSine[i] * p;
    cosine = 1.0 - s * kShortCosine[i] * cosine;
  }
  const Doubles<W> sine = of.rest * p;
  const DoubleBits<W> odd = -(of.quadrant & 1);
  const Doubles<W> v = pick<W>(odd, -cosine, sine) / pick<W>(odd, sine, cosine);
  const auto y = __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, v) ^ (of.word & INT64_MIN));
  store_floats<W>(a, pick<W>(of.moderate, y, x));
  return lanes_without<W>(of.moderate);
}

template <int W> __attribute__((always_inline)) inline Doubles<W> square_roots(Doubles<W> x) {
  Doubles<W> r;
  for (int i = 0; i < W; ++i) r[i] = __builtin_sqrt(x[i]);
  return r;
}

// atan64, without branches.
template <int W> __attribute__((always_inline)) inline Doubles<W> arc_tangent(Doubles<W> x) {
  constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;
  const auto word = __builtin_bit_cast(DoubleBits<W>, x);
  const auto a = __builtin_bit_cast(Doubles<W>, word & INT64_MAX);
  const DoubleBits<W> large = a > 1.0;
  Doubles<W> t = pick<W>(large, 1.0 / a, a);
  const DoubleBits<W> fold = t > 0.41421356237309503;
  t = pick<W>(fold, (t - 1.0) / (t + 1.0), t);
  t = t / (1.0 + square_roots<W>(1.0 + t * t));
  const Doubles<W> s = t * t;
  Doubles<W> p{};
#pragma GCC unroll copies(14)
  for (int k = 13; k >= 0; --k) p = 1.0 / (2 * k + 1) - p * s;
  Doubles<W> r = 2.0 * t * p;
  r = pick<W>(fold, kHalfPi / 2 + (r + kHalfPiLow / 2), r);
  r = pick<W>(large, kHalfPi - (r - kHalfPiLow), r);
  return __builtin_bit_cast(Doubles<W>, (__builtin_bit_cast(DoubleBits<W>, r) & INT64_MAX) | (word & INT64_MIN));
}

inline bool has_angle_lanes(UnaryFunction f) { return f == UnaryFunction::sin || f == UnaryFunction::cos || f == UnaryFunction::tan; }
// a[i] = f(a[i]) of n lanes, n a multiple of kDoubles.
inline void angle_lanes(UnaryFunction f, float* a, int n) noexcept {
  constexpr int W = kDoubles;
  for (int i = 0; i < n; i += W) {
    uint32_t left = f == UnaryFunction::tan ? moderate_tangents<W>(a + i) : moderate_angles<W>(a + i, f == UnaryFunction::cos);
    for (; left != 0; left &= left - 1) {
      const int lane = i + __builtin_ctz(left);
      a[lane] = rare_function(f, a[lane]);
    }
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
