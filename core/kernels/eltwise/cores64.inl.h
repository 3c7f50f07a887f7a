// SPDX-License-Identifier: Apache-2.0
// Functions of one number in binary64, for vectors: the very operations of functions.cpp (f64_function), which is the normative text, in
// the same order on kCore doubles at once. Lanes with special cases go there. Rows of f64 use them, and of f32 what functions.cpp computes
// in binary64.
#pragma once

#include <cstdint>

#include "core/kernels/eltwise/angles.inl.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/lanes.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kVectors = 2;  // of a core

template <int W> __attribute__((always_inline)) inline Doubles<W> size_of(Doubles<W> x) {
  return __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, x) & INT64_MAX);
}
template <int W> __attribute__((always_inline)) inline Doubles<W> with_sign(Doubles<W> r, Doubles<W> of) {
  return __builtin_bit_cast(Doubles<W>,
                            (__builtin_bit_cast(DoubleBits<W>, r) & INT64_MAX) | (__builtin_bit_cast(DoubleBits<W>, of) & INT64_MIN));
}

// log1p_64 for normal 1 + u.
__attribute__((noinline)) inline void log1p_core(double* x) {
  constexpr int W = kDoubles;
  Doubles<W> u[kVectors], e[kVectors], s[kVectors], t[kVectors], p[kVectors];
  DoubleBits<W> near[kVectors];
#pragma GCC unroll copies(2)
  for (int j = 0; j < kVectors; ++j) {
    u[j] = load_doubles<W>(x + j * W);
    near[j] = (u[j] > -0.29) & (u[j] < 0.41);
    const Doubles<W> m = mantissa_of<W>(1.0 + u[j], &e[j]);
    s[j] = pick<W>(near[j], u[j], m - 1.0) / pick<W>(near[j], 2.0 + u[j], m + 1.0);
    t[j] = s[j] * s[j];
    p[j] = Doubles<W>{};
  }
#pragma GCC unroll copies(13)
  for (int k = 12; k >= 0; --k)
#pragma GCC unroll copies(2)
    for (int j = 0; j < kVectors; ++j) p[j] = p[j] * t[j] + 1.0 / (2 * k + 1);
#pragma GCC unroll copies(2)
  for (int j = 0; j < kVectors; ++j) {
    const Doubles<W> twice = 2.0 * s[j] * p[j];
    const Doubles<W> far = e[j] * 0x1.62e42fee00000p-1 + (twice + e[j] * 0x1.a39ef35793c76p-33);
    store_doubles<W>(x + j * W, pick<W>(near[j], twice, far));
  }
}

// a + b = the result + low, exactly.
template <int W> __attribute__((always_inline)) inline Doubles<W> two_sum(Doubles<W> a, Doubles<W> b, Doubles<W>* low) {
  const Doubles<W> sum = a + b, part = sum - a;
  *low = (a - (sum - part)) + (b - part);
  return sum;
}
// What is left of a number `high` + `low` when it is cut to 53 bits: |low| is at most half a last place of high.
template <int W> __attribute__((always_inline)) inline Doubles<W> cut(Doubles<W> high, Doubles<W> low) {
  const auto bits = __builtin_bit_cast(DoubleBits<W>, high);
  const DoubleBits<W> beyond = (bits ^ __builtin_bit_cast(DoubleBits<W>, low)) < 0;  // the other sign: one last place less
  return __builtin_bit_cast(Doubles<W>, bits + beyond);
}
// reduce_to_quadrant() for 0.7 <= a < 2^20: the same two parts of a * 2/pi, cut to 53 bits each, from products with three parts of 2/pi that
// are summed without an error above 2^-136. Where that could decide a bit, and near the middle between two quadrants, `*plain` is false.
template <int W>
__attribute__((always_inline)) inline Doubles<W> quadrant_of(Doubles<W> a, DoubleBits<W>* quadrant, Doubles<W>* low, DoubleBits<W>* plain) {
  constexpr double kParts[] = {0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55, -0x1.6447e493ad4cep-109};
  constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;
  const Doubles<W> zero{};
  const Doubles<W> p0 = a * kParts[0], p1 = a * kParts[1];
  const Doubles<W> e0 = fused<W>(a, zero + kParts[0], -p0), e1 = fused<W>(a, zero + kParts[1], -p1);
  const Doubles<W> rounded = p0 + kRounder, d = p0 - (rounded - kRounder);
  *quadrant = __builtin_bit_cast(DoubleBits<W>, rounded);
  Doubles<W> u, v, l, m;
  const Doubles<W> t = two_sum<W>(e0, p1, &u), h = two_sum<W>(d, t, &v);
  l = two_sum<W>(v, (u + e1) + a * kParts[2], &m);
  Doubles<W> rest, top = two_sum<W>(h, l, &rest);
  rest = two_sum<W>(rest, m, &m);
  const Doubles<W> high = cut<W>(top, rest);
  // What the cut left: exact, as the difference of neighbours is.
  Doubles<W> tail, second = two_sum<W>(top - high, rest, &tail);
  second = two_sum<W>(second, tail + m, &tail);
  const Doubles<W> size = size_of<W>(d);
  *plain = (size > 0x1p-20) & (size < 0.5 - 0x1p-20) & (size_of<W>(rest) > 0x1p-110) & (size_of<W>(tail) > 0x1p-132);
  const Doubles<W> r = high * kHalfPi;
  *low = fused<W>(high, zero + kHalfPi, -r) + (high * kHalfPiLow + cut<W>(second, tail) * kHalfPi);
  return r;
}
// 1 - s / ((2 k + odd - 1) (2 k + odd)) p, k from 10 down to 1.
template <int W> __attribute__((always_inline)) inline Doubles<W> angle_series(Doubles<W> s, int odd) {
  Doubles<W> p = Doubles<W>{} + 1.0;
#pragma GCC unroll copies(10)
  for (int k = 10; k >= 1; --k) p = 1.0 - divided<W>(s, static_cast<double>((2 * k + odd - 1) * (2 * k + odd))) * p;
  return p;
}
// trigonometric64.
__attribute__((noinline)) inline void angle_core(UnaryFunction f, double* x, uint32_t* left) {
  constexpr int W = kDoubles;
  *left = 0;
  for (int j = 0; j < kVectors; ++j) {
    const Doubles<W> v = load_doubles<W>(x + j * W), a = size_of<W>(v);
    const DoubleBits<W> small = a < 0.7;
    DoubleBits<W> quadrant, plain;
    Doubles<W> low;
    const Doubles<W> reduced = quadrant_of<W>(a, &quadrant, &low, &plain);
    *left |= lanes_without<W>(small | (plain & (a < 0x1p20))) << (j * W);
    const Doubles<W> r = pick<W>(small, a, reduced);
    low = pick<W>(small, Doubles<W>{}, low);
    quadrant &= ~small;
    const Doubles<W> square = r * r, s = r * angle_series<W>(square, 1), c = angle_series<W>(square, 0);
    const Doubles<W> sine = s + c * low, cosine = c - s * low;
    const DoubleBits<W> odd = -(quadrant & 1), sign = __builtin_bit_cast(DoubleBits<W>, v) & INT64_MIN;
    Doubles<W> y;
    DoubleBits<W> turn = sign;
    if (f == UnaryFunction::tan) {
      y = pick<W>(odd, -cosine, sine) / pick<W>(odd, sine, cosine);
    } else if (f == UnaryFunction::sin) {
      y = pick<W>(odd, cosine, sine);
      turn ^= (quadrant & 2) << 62;
    } else {
      y = pick<W>(odd, sine, cosine);
      turn = ((quadrant ^ odd) & 2) << 62;  // that of the quadrant behind it
    }
    store_doubles<W>(x + j * W, __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, y) ^ turn));
  }
}

// What a function computes in between.
enum class Between { nothing, exps, exps_less_one, logs, exps_and_logs, arcs };
constexpr Between between_of(UnaryFunction f) {
  switch (f) {
    case UnaryFunction::asin:
    case UnaryFunction::acos:
    case UnaryFunction::atan: return Between::arcs;
    case UnaryFunction::sinh:
    case UnaryFunction::elu:
    case UnaryFunction::celu:
    case UnaryFunction::selu: return Between::exps_less_one;
    case UnaryFunction::cosh:
    case UnaryFunction::gelu_tanh:
    case UnaryFunction::quick_gelu:
    case UnaryFunction::mish: return Between::exps;
    case UnaryFunction::asinh:
    case UnaryFunction::acosh:
    case UnaryFunction::atanh: return Between::logs;
    case UnaryFunction::softplus: return Between::exps_and_logs;
    default: return Between::nothing;
  }
}
// What goes into it, and where that has no special case.
template <int W>
__attribute__((always_inline)) inline Doubles<W> before(UnaryFunction f, double alpha, Doubles<W> v, DoubleBits<W>* plain) {
  const Doubles<W> zero{}, a = size_of<W>(v);
  Doubles<W> y = v;
  switch (f) {
    case UnaryFunction::asin: y = v / square_roots<W>((1.0 - v) * (1.0 + v)); break;
    case UnaryFunction::acos: y = square_roots<W>((1.0 - v) / (1.0 + v)); break;
    case UnaryFunction::sinh:
    case UnaryFunction::cosh: y = a; break;
    case UnaryFunction::celu: y = v / alpha; [[fallthrough]];
    case UnaryFunction::elu:
    case UnaryFunction::selu: y = pick<W>(v < 0.0, y, pick<W>(v >= 0.0, zero, v)); break;
    case UnaryFunction::gelu_tanh: {
      const Doubles<W> h = pick<W>(v < -30.0, zero - 30.0, v);
      y = -1.5957691216057308 * (h + 0.044715 * h * h * h);
      break;
    }
    case UnaryFunction::quick_gelu: y = -(alpha * v); break;
    case UnaryFunction::mish: y = pick<W>(v > 40.0, zero + 40.0, v); break;
    case UnaryFunction::softplus: y = -a; break;
    case UnaryFunction::asinh: y = a + a * a / (1.0 + square_roots<W>(a * a + 1.0)); break;
    case UnaryFunction::acosh: {
      const Doubles<W> u = v - 1.0;
      y = pick<W>(u >= 0.0, u + square_roots<W>(2.0 * u + u * u), u);
      break;
    }
    case UnaryFunction::atanh: y = 2.0 * a / (1.0 - a); break;
    default: break;
  }
  switch (between_of(f)) {
    case Between::nothing: *plain = a == a; break;
    case Between::arcs: *plain = y == y; break;
    case Between::logs: *plain = (a <= 1e150) & (y >= 0.0) & (y <= 2e150); break;
    default: *plain = size_of<W>(y) <= 700.0; break;
  }
  return y;
}
// f(v), y being what came of it.
template <int W>
__attribute__((always_inline)) inline Doubles<W> after(UnaryFunction f, double alpha, double beta, Doubles<W> v, Doubles<W> y) {
  const Doubles<W> zero{}, a = size_of<W>(v);
  const auto hard = [&](Doubles<W> x) {
    x = pick<W>(x < 0.0, zero, x);
    return pick<W>(x > 1.0, zero + 1.0, x);
  };
  switch (f) {
    case UnaryFunction::leaky_relu: return pick<W>(v < 0.0, alpha * v, v);
    case UnaryFunction::hard_sigmoid: return hard(alpha * v + beta);
    case UnaryFunction::hard_swish: return pick<W>(v < -3.0, zero - 3.0, v) * hard(v / 6.0 + 0.5);
    case UnaryFunction::thresholded_relu: return pick<W>(alpha < v, v, zero);
    case UnaryFunction::shrink: return pick<W>(v < -alpha, v + beta, pick<W>(alpha < v, v - beta, zero));
    case UnaryFunction::softsign: return pick<W>(a > 1e300, with_sign<W>(zero + 1.0, v), v / (1.0 + a));
    case UnaryFunction::acos: return 2.0 * y;
    case UnaryFunction::sinh: return with_sign<W>((y + y / (y + 1.0)) / 2.0, v);
    case UnaryFunction::cosh: return (y + 1.0 / y) / 2.0;
    case UnaryFunction::asinh: return with_sign<W>(y, v);
    case UnaryFunction::atanh: return with_sign<W>(y / 2.0, v);
    case UnaryFunction::gelu_tanh: return pick<W>(v < -30.0, zero - 30.0, v) / (1.0 + y);
    case UnaryFunction::quick_gelu: return v / (1.0 + y);
    case UnaryFunction::softplus: return pick<W>(v < 0.0, zero, v) + y;
    case UnaryFunction::mish: {
      const Doubles<W> n = y * (y + 2.0);
      return v * (n / (n + 2.0));
    }
    case UnaryFunction::elu:
    case UnaryFunction::celu: return pick<W>(v < 0.0, alpha * y, v);
    case UnaryFunction::selu: return beta * pick<W>(v < 0.0, alpha * y, v);
    default: return y;
  }
}

// x[i] = f(x[i]) of kCore doubles; `left` has a bit for each lane that is not done.
__attribute__((noinline)) inline void unary_core(UnaryFunction f, double alpha, double beta, double* x, uint32_t* left) {
  constexpr int W = kDoubles;
  if (f == UnaryFunction::sin || f == UnaryFunction::cos || f == UnaryFunction::tan) return angle_core(f, x, left);
  double y[kCore];
  *left = 0;
#pragma GCC unroll 1
  for (int i = 0; i < kCore; i += W) {
    DoubleBits<W> plain;
    store_doubles<W>(y + i, before<W>(f, alpha, load_doubles<W>(x + i), &plain));
    *left |= lanes_without<W>(plain) << i;
  }
  const Between between = between_of(f);
  if (between == Between::exps || between == Between::exps_less_one || between == Between::exps_and_logs)
    exp_core(y, between == Between::exps_less_one);
  if (between == Between::logs || between == Between::exps_and_logs) log1p_core(y);
#pragma GCC unroll 1
  for (int i = 0; i < kCore; i += W) {
    if (between == Between::arcs) store_doubles<W>(y + i, arc_tangent<W>(load_doubles<W>(y + i)));
    store_doubles<W>(x + i, after<W>(f, alpha, beta, load_doubles<W>(x + i), load_doubles<W>(y + i)));
  }
}

// Floats; f is one of those that functions.cpp computes in binary64.
__attribute__((noinline)) inline void floats_of_core(UnaryFunction f, float* a, int n) noexcept {
  constexpr int W = kDoubles;
  for (int i = 0; i < n; i += kCore) {
    double x[kCore];
    float r[kCore];
    for (int k = 0; k < kCore; k += W) store_doubles<W>(x + k, load_doubles<W>(a + i + k));
    uint32_t left;
    unary_core(f, 0.0, 0.0, x, &left);
    for (int k = 0; k < kCore; k += W) store_floats<W>(r + k, load_doubles<W>(x + k));
    for (; left != 0; left &= left - 1) r[__builtin_ctz(left)] = rare_function(f, a[i + __builtin_ctz(left)]);
    __builtin_memcpy(a + i, r, sizeof r);
  }
}

inline void function_lanes(UnaryFunction f, float* a, int n) noexcept {
  has_angle_lanes(f) ? angle_lanes(f, a, n) : floats_of_core(f, a, n);
}

__attribute__((noinline)) inline void row_of_unary_core(UnaryFunction f, const TypedRow& row) noexcept {
  auto* out = static_cast<double*>(row.out);
  const auto* a = static_cast<const double*>(row.in[0]);
  for (int64_t i = 0; i < row.n; i += kCore) {
    const int64_t n = row.n - i < kCore ? row.n - i : kCore;
    double x[kCore] = {}, r[kCore];
    if (n == kCore) __builtin_memcpy(x, a + i, sizeof x);
    else
      for (int64_t k = 0; k < n; ++k) x[k] = a[i + k];
    __builtin_memcpy(r, x, sizeof r);
    uint32_t left;
    unary_core(f, row.alpha, row.beta, r, &left);
    for (; left != 0; left &= left - 1) r[__builtin_ctz(left)] = f64_function(f, x[__builtin_ctz(left)], row.alpha, row.beta);
    if (n == kCore) __builtin_memcpy(out + i, r, sizeof r);
    else
      for (int64_t k = 0; k < n; ++k) out[i + k] = r[k];
  }
}
template <UnaryFunction f> void unary_core_row(const TypedRow& row) noexcept { row_of_unary_core(f, row); }
// Null: there is no core.
template <UnaryFunction... kThose> TypedRowFunction one_of_rows(UnaryFunction f) noexcept {
  TypedRowFunction found = nullptr;
  static_cast<void>(((f == kThose && (found = unary_core_row<kThose>, true)) || ...));
  return found;
}
inline TypedRowFunction core_row(UnaryFunction f) noexcept {
  using F = UnaryFunction;
  return one_of_rows<F::leaky_relu, F::hard_sigmoid, F::hard_swish, F::thresholded_relu, F::shrink, F::softsign, F::asin, F::acos, F::atan,
                     F::sinh, F::cosh, F::asinh, F::acosh, F::atanh, F::gelu_tanh, F::quick_gelu, F::softplus, F::mish, F::elu, F::celu,
                     F::selu, F::sin, F::cos, F::tan>(f);
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
