// SPDX-License-Identifier: Apache-2.0
// pow for vectors: the very operations of functions.cpp (power64, log64, exp64), which is the normative text, in the same order on
// W doubles at once. Lanes that need one of its special cases go there. Include it INSIDE an anonymous namespace, after
// simd/fused_doubles.h.

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

// f / k, k from 2 to 14. Where multiply-adds are instructions it is a product that is corrected once, which gives the very quotient: the
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

// exp64 for |x| <= 700.
template <int W> __attribute__((always_inline)) inline Doubles<W> exp_of_moderate(Doubles<W> x) {
  const Doubles<W> rounded = x * 0x1.71547652b82fep+0 + kRounder, n = rounded - kRounder;
  const Doubles<W> f = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
  Doubles<W> p = Doubles<W>{} + 1.0;
#pragma GCC unroll 13
  for (int k = 14; k >= 2; --k) p = 1.0 + divided<W>(f, static_cast<double>(k)) * p;
  const DoubleBits<W> power = (__builtin_bit_cast(DoubleBits<W>, rounded) + (1023 - __builtin_bit_cast(int64_t, kRounder))) << 52;
  return (1.0 + f * p) * __builtin_bit_cast(Doubles<W>, power);
}

// x^n for one integral n, 0 < |n| <= 64: by squaring, with the sign of x if n is odd.
template <int W> __attribute__((always_inline)) inline Doubles<W> integral_power(Doubles<W> x, double exponent) {
  const auto word = __builtin_bit_cast(DoubleBits<W>, x);
  Doubles<W> base = __builtin_bit_cast(Doubles<W>, word & INT64_MAX), r = Doubles<W>{} + 1.0;
  const auto count = static_cast<unsigned>(exponent < 0.0 ? -exponent : exponent);
  for (unsigned n = count; n != 0; n >>= 1, base *= base)
    if (n & 1) r *= base;
  if (exponent < 0.0) r = 1.0 / r;
  if (count & 1) r = __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, r) | (word & INT64_MIN));
  constexpr double kNan = __builtin_nan("");
  return pick<W>(x == x, r, Doubles<W>{} + kNan);
}
inline bool is_small_integral(double exponent) {
  return exponent != 0.0 && exponent >= -64.0 && exponent <= 64.0 && (exponent + kRounder) - kRounder == exponent;
}

template <int W> __attribute__((always_inline)) inline uint32_t lanes_without(DoubleBits<W> mask) {
  uint32_t left = 0;
  for (int i = 0; i < W; ++i) left |= static_cast<uint32_t>(~mask[i] & 1) << i;
  return left;
}

// x^exponent by exp and log where neither has a special case; x elsewhere, and `left` has a bit for each of those lanes.
template <int W> __attribute__((always_inline)) inline Doubles<W> plain_power(Doubles<W> x, Doubles<W> exponent, uint32_t* left) {
  const auto y = exponent * log_of_normal<W>(x);  // means nothing where x is not positive, normal and finite
  const auto size = __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, exponent) & INT64_MAX);
  const DoubleBits<W> squared = ((size + kRounder) - kRounder == size) & (size <= 64.0);
  const DoubleBits<W> plain = (x >= 0x1p-1022) & (x < __builtin_inf()) & (y >= -700.0) & (y <= 700.0) & ~squared;
  *left = lanes_without<W>(plain);
  return pick<W>(plain, exp_of_moderate<W>(pick<W>(plain, y, Doubles<W>{})), x);
}

inline void power_lanes(float* a, const float* b, int n, bool uniform) noexcept {
  constexpr int W = kDoubles;
  const bool integral = uniform && is_small_integral(b[0]);
  for (int i = 0; i < n; i += W) {
    uint32_t left = 0;
    const auto x = load_doubles<W>(a + i);
    store_floats<W>(a + i, integral ? integral_power<W>(x, b[0]) : plain_power<W>(x, load_doubles<W>(b + i), &left));
    for (; left != 0; left &= left - 1) {
      const int lane = i + __builtin_ctz(left);
      a[lane] = rare_function(BinaryFunction::pow, a[lane], b[lane]);
    }
  }
}

// f(a, b, lanes left to do) on the vectors of a row of f64, the last ones on vectors of their own.
template <class F> inline void row_of_doubles(const TypedRow& row, BinaryFunction rare, F f) noexcept {
  constexpr int W = kDoubles;
  auto* out = static_cast<double*>(row.out);
  const auto *a = static_cast<const double*>(row.in[0]), *b = static_cast<const double*>(row.in[1]);
  for (int64_t i = 0; i < row.n; i += W) {
    const int64_t n = row.n - i < W ? row.n - i : W;
    double x[W], y[W], r[W];
    for (int k = 0; k < W; ++k) {
      x[k] = a[i + (k < n ? k : 0)];
      y[k] = b[i + (k < n ? k : 0)];
    }
    uint32_t left = 0;
    store_doubles<W>(r, f(load_doubles<W>(x), load_doubles<W>(y), &left));
    for (; left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      r[lane] = f64_function(rare, x[lane], y[lane]);
    }
    for (int k = 0; k < n; ++k) out[i + k] = r[k];
  }
}
inline void power_row(const TypedRow& row) noexcept {
  constexpr int W = kDoubles;
  row_of_doubles(row, BinaryFunction::pow, [](Doubles<W> x, Doubles<W> exponent, uint32_t* left) {
    const double first = exponent[0];
    if (is_small_integral(first) && lanes_without<W>(exponent == first) == 0) return integral_power<W>(x, first);
    return plain_power<W>(x, exponent, left);
  });
}
inline void log_row(const TypedRow& row) noexcept {
  constexpr int W = kDoubles;
  auto* out = static_cast<double*>(row.out);
  const auto* a = static_cast<const double*>(row.in[0]);
  for (int64_t i = 0; i < row.n; i += W) {
    const int64_t n = row.n - i < W ? row.n - i : W;
    double x[W], r[W];
    for (int k = 0; k < W; ++k) x[k] = k < n ? a[i + k] : 1.0;
    const auto v = load_doubles<W>(x);
    store_doubles<W>(r, log_of_normal<W>(v));
    for (uint32_t left = lanes_without<W>((v >= 0x1p-1022) & (v < __builtin_inf())); left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      r[lane] = f64_function(UnaryFunction::log, x[lane], 0.0, 0.0);
    }
    for (int k = 0; k < n; ++k) out[i + k] = r[k];
  }
}

// --- remainders -------------------------------------------------------------------------------------------------

// fmod(a, b) where the quotient has fewer than 52 bits; a elsewhere, as above. The rounded quotient is never below a whole number that
// the exact one reaches, so its whole part is right or one too large; what the multiply-add leaves is exact in both cases.
template <int W> __attribute__((always_inline)) inline Doubles<W> plain_modulo(Doubles<W> a, Doubles<W> b, uint32_t* left) {
  const auto sign = __builtin_bit_cast(DoubleBits<W>, a) & INT64_MIN;
  const auto dividend = __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, a) & INT64_MAX);
  const auto divisor = __builtin_bit_cast(Doubles<W>, __builtin_bit_cast(DoubleBits<W>, b) & INT64_MAX);
  const Doubles<W> quotient = dividend / divisor;
  const DoubleBits<W> plain = (quotient < 0x1p51) & (divisor < __builtin_inf());
  const Doubles<W> nearest = (quotient + 0x1p52) - 0x1p52;
  const Doubles<W> whole = nearest - pick<W>(nearest > quotient, Doubles<W>{} + 1.0, Doubles<W>{});
  Doubles<W> r = fused<W>(Doubles<W>{} - whole, divisor, dividend);
  r = pick<W>(r < 0.0, r + divisor, r);
  *left = lanes_without<W>(plain);
  const auto signed_r = __builtin_bit_cast(Doubles<W>, (__builtin_bit_cast(DoubleBits<W>, r) & INT64_MAX) | sign);
  return pick<W>(plain, signed_r, a);
}
// A remainder of fmod becomes one with the divisor's sign.
template <int W> __attribute__((always_inline)) inline Doubles<W> with_sign_of(Doubles<W> r, Doubles<W> b) {
  const auto sign = __builtin_bit_cast(DoubleBits<W>, b) & INT64_MIN;
  const auto zero = __builtin_bit_cast(Doubles<W>, sign);
  return pick<W>(r == 0.0, zero, pick<W>((r < 0.0) == (b < 0.0), r, r + b));
}

inline void modulo_lanes(BinaryFunction f, float* a, const float* b, int n) noexcept {
  constexpr int W = kDoubles;
  for (int i = 0; i < n; i += W) {
    uint32_t left;
    float r[W];
    store_floats<W>(r, plain_modulo<W>(load_doubles<W>(a + i), load_doubles<W>(b + i), &left));
    for (int k = 0; k < W; ++k) {
      if (left >> k & 1) r[k] = rare_function(f, a[i + k], b[i + k]);
      else if (f == BinaryFunction::mod_floor)  // rounded as f32
        r[k] = r[k] == 0.f ? __builtin_copysignf(0.f, b[i + k]) : (r[k] < 0.f) == (b[i + k] < 0.f) ? r[k] : r[k] + b[i + k];
    }
    for (int k = 0; k < W; ++k) a[i + k] = r[k];
  }
}
inline void mod_trunc_row(const TypedRow& row) noexcept { row_of_doubles(row, BinaryFunction::mod_trunc, plain_modulo<kDoubles>); }
inline void mod_floor_row(const TypedRow& row) noexcept {
  row_of_doubles(row, BinaryFunction::mod_floor, [](Doubles<kDoubles> a, Doubles<kDoubles> b, uint32_t* left) {
    return with_sign_of<kDoubles>(plain_modulo<kDoubles>(a, b, left), b);
  });
}
