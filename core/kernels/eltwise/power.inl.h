// SPDX-License-Identifier: Apache-2.0
// pow for vectors: the very operations of functions.cpp (power64, log64, exp64) and doubles.inl.h (power_for_floats), which are the normative
// text, in the same order on W doubles at once. Lanes that need one of its special cases go there.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/kernels/eltwise/doubles.inl.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/lanes.h"
#include "core/kernels/simd/fused_doubles.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr double kRounder = 0x1.8p52;  // adding and subtracting it rounds |x| < 2^51 to an integer, ties to even

template <int W> __attribute__((always_inline)) inline Doubles<W> pick(DoubleBits<W> mask, Doubles<W> a, Doubles<W> b) {
  const auto x = __builtin_bit_cast(DoubleBits<W>, a), y = __builtin_bit_cast(DoubleBits<W>, b);
  return __builtin_bit_cast(Doubles<W>, (mask & x) | (~mask & y));
}

// x = m * 2^e, m from sqrt(1/2) to sqrt(2), of a normal x > 0.
template <int W> __attribute__((always_inline)) inline Doubles<W> mantissa_of(Doubles<W> x, Doubles<W>* e) {
  const auto word = __builtin_bit_cast(DoubleBits<W>, x);
  const Doubles<W> half = __builtin_bit_cast(Doubles<W>, (word & 0x000fffffffffffff) | 0x3fe0000000000000);  // in [1/2, 1)
  const DoubleBits<W> low = half < 0x1.6a09e667f3bcdp-1;
  // The biased exponent, as a double by way of the rounder's low bits; `low` is -1 where it holds.
  const DoubleBits<W> biased = (word >> 52) + low + __builtin_bit_cast(int64_t, kRounder);
  *e = (__builtin_bit_cast(Doubles<W>, biased) - kRounder) - 1022.0;
  return pick<W>(low, half * 2.0, half);
}
// log64 for normal x > 0, of N vectors at once: their chains hide each other's latency.
template <int W, int N> __attribute__((always_inline)) inline void logs_of_normal(Doubles<W> (&x)[N]) {
  Doubles<W> e[N], s[N], t[N], p[N];
#pragma GCC unroll copies(2)
  for (int j = 0; j < N; ++j) {
    const Doubles<W> m = mantissa_of<W>(x[j], &e[j]);
    s[j] = (m - 1.0) / (m + 1.0), t[j] = s[j] * s[j];
    p[j] = Doubles<W>{};
  }
#pragma GCC unroll copies(13)
  for (int k = 12; k >= 0; --k)
#pragma GCC unroll copies(2)
    for (int j = 0; j < N; ++j) p[j] = p[j] * t[j] + 1.0 / (2 * k + 1);
#pragma GCC unroll copies(2)
  for (int j = 0; j < N; ++j) x[j] = e[j] * 0x1.62e42fee00000p-1 + (2.0 * s[j] * p[j] + e[j] * 0x1.a39ef35793c76p-33);
}

// f / k, k a whole number from 2 to 420. Where multiply-adds are instructions it is a product that is corrected once, which gives the very quotient: the
// remainder f - k q is exact, and no quotient by so small a k is near the middle between two doubles. (A remainder that is too small to
// be exact belongs to an f that no sum with 1 shows.)
template <int W> __attribute__((always_inline)) inline Doubles<W> divided(Doubles<W> f, double k) {
#if defined(__FMA__)
  const Doubles<W> inverse = Doubles<W>{} + 1.0 / k, q = f * inverse;
  return fused<W>(fused<W>(q, Doubles<W>{} - k, f), inverse, q);
#else
  return f / k;
#endif
}

// x^n for one integral n, 0 < |n| <= 64: by squaring. Signs and NaN come out of the products. N vectors hide each other's latency.
template <int W, int N> __attribute__((always_inline)) inline void integral_power(Doubles<W> (&x)[N], double exponent) {
  Doubles<W> r[N];
  const auto count = static_cast<unsigned>(exponent < 0.0 ? -exponent : exponent);
#pragma GCC unroll copies(4)
  for (int j = 0; j < N; ++j) r[j] = Doubles<W>{} + 1.0;
  for (unsigned n = count; n != 0; n >>= 1) {
    if (n & 1)
#pragma GCC unroll copies(4)
      for (int j = 0; j < N; ++j) r[j] *= x[j];
    if (n > 1)
#pragma GCC unroll copies(4)
      for (int j = 0; j < N; ++j) x[j] *= x[j];
  }
#pragma GCC unroll copies(4)
  for (int j = 0; j < N; ++j) x[j] = exponent < 0.0 ? 1.0 / r[j] : r[j];
}
// The lanes whose exponents are integral and at most 64 in size.
template <int W> __attribute__((always_inline)) inline DoubleBits<W> small_integral(Doubles<W> b) {
  const auto size = __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, b) & INT64_MAX);
  return ((size + kRounder) - kRounder == size) & (size <= 64.0);
}
inline bool is_small_integral(double exponent) {
  return exponent != 0.0 && exponent >= -64.0 && exponent <= 64.0 && (exponent + kRounder) - kRounder == exponent;
}

// The lanes of a mask that are not set, one bit each.
template <int W> __attribute__((always_inline)) inline uint32_t lanes_without(DoubleBits<W> mask) {
#if defined(__AVX512F__)
  if constexpr (W == 8)
    return static_cast<uint8_t>(~_mm512_test_epi64_mask(__builtin_bit_cast(__m512i, mask), __builtin_bit_cast(__m512i, mask)));
#elif defined(__AVX2__)
  if constexpr (W == 4) return static_cast<uint32_t>(~_mm256_movemask_pd(__builtin_bit_cast(__m256d, mask)) & 15);
#endif
  uint32_t left = 0;
  for (int i = 0; i < W; ++i) left |= static_cast<uint32_t>(~mask[i] & 1) << i;
  return left;
}

// The same with an exponent for each lane; what the lanes of others give means nothing.
template <int W> __attribute__((always_inline)) inline Doubles<W> integral_powers(Doubles<W> x, Doubles<W> b) {
  constexpr double kNan = __builtin_nan("");
  const auto word = __builtin_bit_cast(DoubleBits<W>, x), exponent = __builtin_bit_cast(DoubleBits<W>, b);
  const DoubleBits<W> small = small_integral<W>(b);
  const auto size = __builtin_bit_cast(Doubles<W>, exponent & INT64_MAX & small);
  const DoubleBits<W> count = __builtin_bit_cast(DoubleBits<W>, size + kRounder) - __builtin_bit_cast(int64_t, kRounder);
  Doubles<W> base = __builtin_bit_cast(Doubles<W>, word & INT64_MAX), r = Doubles<W>{} + 1.0;
  for (DoubleBits<W> n = count; lanes_without<W>(n == 0) != 0; n >>= 1, base *= base) r = pick<W>((n & 1) != 0, r * base, r);
  r = pick<W>(b < 0.0, 1.0 / r, r);
  r = __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, r) | (word & (count << 63)));
  return pick<W>((x == x) | (b == 0.0), r, Doubles<W>{} + kNan);
}

constexpr int kCore = 2 * kDoubles;  // doubles that a core takes: two vectors, whose chains hide each other's latency

// Cores: x[i] = f(x[i], b[i]) of kCore doubles; `left` has a bit for each lane that they do not do, where x stays or means nothing.
using Core = void (*)(double* x, const double* b, uint32_t* left);

// exp64 for |x| <= 700, or expm1_64.
__attribute__((noinline)) inline void exp_core(double* x, bool less_one) {
  constexpr int W = kDoubles, N = 2;
  Doubles<W> rounded[N], f[N], p[N];
  DoubleBits<W> small[N];
#pragma GCC unroll copies(2)
  for (int j = 0; j < N; ++j) {
    const Doubles<W> v = load_doubles<W>(x + j * W);
    small[j] = (v > -0.35) & (v < 0.35) & (less_one ? -1 : 0);
    rounded[j] = pick<W>(small[j], Doubles<W>{} + kRounder, v * 0x1.71547652b82fep+0 + kRounder);
    const Doubles<W> n = rounded[j] - kRounder;
    f[j] = (v - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    p[j] = Doubles<W>{} + 1.0;
  }
#pragma GCC unroll copies(13)
  for (int k = 14; k >= 2; --k)
#pragma GCC unroll copies(2)
    for (int j = 0; j < N; ++j) p[j] = 1.0 + divided<W>(f[j], static_cast<double>(k)) * p[j];
#pragma GCC unroll copies(2)
  for (int j = 0; j < N; ++j) {
    const DoubleBits<W> power = (__builtin_bit_cast(DoubleBits<W>, rounded[j]) + (1023 - __builtin_bit_cast(int64_t, kRounder))) << 52;
    const Doubles<W> series = f[j] * p[j], e = (1.0 + series) * __builtin_bit_cast(Doubles<W>, power);
    store_doubles<W>(x + j * W, less_one ? pick<W>(small[j], series, e - 1.0) : e);
  }
}
__attribute__((noinline)) inline void log_core(double* x, const double*, uint32_t* left) {
  constexpr int W = kDoubles;
  Doubles<W> v[2] = {load_doubles<W>(x), load_doubles<W>(x + W)};
  *left = 0;
  for (int j = 0; j < 2; ++j) *left |= lanes_without<W>((v[j] >= 0x1p-1022) & (v[j] < __builtin_inf())) << (j * W);
  logs_of_normal<W, 2>(v);
  store_doubles<W>(x, v[0]);
  store_doubles<W>(x + W, v[1]);
}
// By exp and log where neither has a special case, by products where the exponent is a small whole number. kFloats: for results of
// binary32.
template <bool kFloats> __attribute__((noinline)) inline void power_core(double* x, const double* b, uint32_t* left) {
  constexpr int W = kDoubles;
  constexpr double kHigh = __builtin_inf();
  Doubles<W> base[2], exponent[2], whole[2], y[2];
  DoubleBits<W> small[2];
  uint32_t others = 0;
#pragma GCC unroll copies(2)
  for (int j = 0; j < 2; ++j) {
    base[j] = y[j] = load_doubles<W>(x + j * W), exponent[j] = load_doubles<W>(b + j * W);
    small[j] = small_integral<W>(exponent[j]);
    others |= lanes_without<W>(small[j]) << (j * W);
  }
  constexpr uint32_t kAll = (2u << (kCore - 1)) - 1;
  if (others != kAll)
#pragma GCC unroll copies(2)
    for (int j = 0; j < 2; ++j) whole[j] = integral_powers<W>(base[j], exponent[j]);
  *left = 0;
  if (others != 0) {
    if constexpr (kFloats) {
#pragma GCC unroll copies(2)
      for (int j = 0; j < 2; ++j) {
        const auto size = __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, exponent[j]) & INT64_MAX);
        *left |= lanes_without<W>((base[j] > 0.0) & (base[j] < kHigh) & (size < kHigh)) << (j * W);
      }
      power_for_floats<W, 2>(y, exponent);
    } else {
      double t[kCore];
      for (int j = 0; j < 2; ++j) store_doubles<W>(t + j * W, base[j]);
      log_core(t, nullptr, left);
      for (int j = 0; j < 2; ++j) {
        y[j] = exponent[j] * load_doubles<W>(t + j * W);
        const DoubleBits<W> plain = (y[j] >= -700.0) & (y[j] <= 700.0);
        *left |= lanes_without<W>(plain) << (j * W);
        store_doubles<W>(t + j * W, pick<W>(plain, y[j], Doubles<W>{}));
      }
      exp_core(t, false);
      for (int j = 0; j < 2; ++j) y[j] = load_doubles<W>(t + j * W);
    }
    *left &= others;
  }
#pragma GCC unroll copies(2)
  for (int j = 0; j < 2; ++j)
    store_doubles<W>(x + j * W, others == 0 ? whole[j] : others == kAll ? y[j] : pick<W>(small[j], whole[j], y[j]));
}
// The exponents are one.
__attribute__((noinline)) inline void integral_power_core(double* x, const double* b, uint32_t* left) {
  constexpr int W = kDoubles;
  *left = 0;
  Doubles<W> v[2] = {load_doubles<W>(x), load_doubles<W>(x + W)};
  integral_power<W, 2>(v, b[0]);
  store_doubles<W>(x, v[0]);
  store_doubles<W>(x + W, v[1]);
}

// Floats through a core; those that it leaves are computed by rare_function.
__attribute__((noinline)) inline void lanes_of_core(BinaryFunction rare, Core core, float* a, const float* b, int n) noexcept {
  constexpr int W = kDoubles;
  for (int i = 0; i < n; i += kCore) {
    double x[kCore], y[kCore];
    for (int k = 0; k < kCore; k += W) {
      store_doubles<W>(x + k, load_doubles<W>(a + i + k));
      store_doubles<W>(y + k, load_doubles<W>(b + i + k));
    }
    uint32_t left;
    core(x, y, &left);
    float r[kCore];
    for (int k = 0; k < kCore; k += W) store_floats<W>(r + k, load_doubles<W>(x + k));
    for (; left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      r[lane] = rare_function(rare, a[i + lane], b[i + lane]);
    }
    __builtin_memcpy(a + i, r, sizeof r);
  }
}
inline void power_lanes(float* a, const float* b, int n, bool uniform) noexcept {
  if (!uniform || !is_small_integral(b[0])) return lanes_of_core(BinaryFunction::pow, power_core<true>, a, b, n);
  constexpr int W = kDoubles;
  const auto of = [&](auto some, int i) __attribute__((always_inline)) {
    constexpr int N = decltype(some)::value;
    Doubles<W> x[N];
#pragma GCC unroll copies(4)
    for (int j = 0; j < N; ++j) x[j] = load_doubles<W>(a + i + j * W);
    integral_power<W, N>(x, static_cast<double>(b[0]));
#pragma GCC unroll copies(4)
    for (int j = 0; j < N; ++j) store_floats<W>(a + i + j * W, x[j]);
  };
  int i = 0;
  for (; i + 4 * W <= n; i += 4 * W) of(std::integral_constant<int, 4>{}, i);
  for (; i < n; i += W) of(std::integral_constant<int, 1>{}, i);
}

// Rows of f64: what a core leaves is computed by f64_function.
__attribute__((noinline)) inline void row_of_cores(const TypedRow& row, BinaryFunction rare, Core core) noexcept {
  auto* out = static_cast<double*>(row.out);
  const auto *a = static_cast<const double*>(row.in[0]), *b = static_cast<const double*>(row.in[1]);
  const bool unary = core == log_core;
  for (int64_t i = 0; i < row.n; i += kCore) {
    const int64_t n = row.n - i < kCore ? row.n - i : kCore;
    double x[kCore], y[kCore], r[kCore];
    if (n == kCore) {
      __builtin_memcpy(x, a + i, sizeof x);
      if (!unary) __builtin_memcpy(y, b + i, sizeof y);
    } else {
      for (int k = 0; k < kCore; ++k) {
        x[k] = a[i + (k < n ? k : 0)];
        y[k] = unary ? 0.0 : b[i + (k < n ? k : 0)];
      }
    }
    __builtin_memcpy(r, x, sizeof r);
    uint32_t left;
    core(r, y, &left);
    for (; left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      r[lane] = unary ? f64_function(UnaryFunction::log, x[lane], 0.0, 0.0) : f64_function(rare, x[lane], y[lane]);
    }
    if (n == kCore) __builtin_memcpy(out + i, r, sizeof r);
    else
      for (int64_t k = 0; k < n; ++k) out[i + k] = r[k];
  }
}
inline void power_row(const TypedRow& row) noexcept {
  const auto* b = static_cast<const double*>(row.in[1]);
  int64_t others = 0;
  for (int64_t i = 1; i < row.n; ++i) others += b[i] != b[0];
  row_of_cores(row, BinaryFunction::pow, others == 0 && is_small_integral(b[0]) ? integral_power_core : power_core<false>);
}
inline void log_row(const TypedRow& row) noexcept { row_of_cores(row, BinaryFunction::pow, log_core); }

// --- remainders -------------------------------------------------------------------------------------------------

// fmod(a, b) where the quotient has fewer than 52 bits. The rounded quotient is never below a whole number that the exact one reaches, so
// its whole part is right or one too large; what the multiply-add leaves is exact in both cases.
__attribute__((noinline)) inline void mod_trunc_core(double* x, const double* b, uint32_t* left) {
  constexpr int W = kDoubles;
  *left = 0;
  for (int i = 0; i < kCore; i += W) {
    const auto word = __builtin_bit_cast(DoubleBits<W>, load_doubles<W>(x + i)),
               divisor_word = __builtin_bit_cast(DoubleBits<W>, load_doubles<W>(b + i));
    const auto dividend = __builtin_bit_cast(Doubles<W>, word & INT64_MAX),
               divisor = __builtin_bit_cast(Doubles<W>, divisor_word & INT64_MAX);
    const Doubles<W> quotient = dividend / divisor;
    const DoubleBits<W> plain = (quotient < 0x1p51) & (divisor < __builtin_inf());
    const Doubles<W> nearest = (quotient + 0x1p52) - 0x1p52;
    const Doubles<W> whole = nearest - pick<W>(nearest > quotient, Doubles<W>{} + 1.0, Doubles<W>{});
    Doubles<W> r = fused<W>(Doubles<W>{} - whole, divisor, dividend);
    r = pick<W>(r < 0.0, r + divisor, r);
    *left |= lanes_without<W>(plain) << i;
    store_doubles<W>(x + i, __builtin_bit_cast(Doubles<W>, (__builtin_bit_cast(DoubleBits<W>, r) & INT64_MAX) | (word & INT64_MIN)));
  }
}
// The same with the divisor's sign.
template <class T> inline T with_sign_of(T r, T b) {
  if (r == T{0}) return b < T{0} || (b == T{0} && T{1} / b < T{0}) ? -T{0} : T{0};
  return (r < T{0}) == (b < T{0}) ? r : r + b;
}
__attribute__((noinline)) inline void mod_floor_core(double* x, const double* b, uint32_t* left) {
  mod_trunc_core(x, b, left);
  for (int i = 0; i < kCore; ++i) x[i] = with_sign_of(x[i], b[i]);
}

inline void modulo_lanes(BinaryFunction f, float* a, const float* b, int n) noexcept {
  lanes_of_core(BinaryFunction::mod_trunc, mod_trunc_core, a, b, n);  // exact; the sum of mod_floor rounds as f32
  if (f == BinaryFunction::mod_floor)
    for (int i = 0; i < n; ++i) a[i] = a[i] == 0.f ? __builtin_copysignf(0.f, b[i]) : with_sign_of(a[i], b[i]);
}
inline void mod_trunc_row(const TypedRow& row) noexcept { row_of_cores(row, BinaryFunction::mod_trunc, mod_trunc_core); }
inline void mod_floor_row(const TypedRow& row) noexcept { row_of_cores(row, BinaryFunction::mod_floor, mod_floor_core); }

}  // namespace
}  // namespace anydim::ANYDIM_ISA
