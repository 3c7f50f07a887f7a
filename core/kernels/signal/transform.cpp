// SPDX-License-Identifier: Apache-2.0
// See transform.h: decimation in time. A length is cut by 4 while it is a multiple of 4, then by its smallest prime factor.
#include "core/kernels/signal/transform.h"

namespace anydim {

namespace {

// Of an angle t from 0 to pi / 4: Taylor's series by Horner, whose rest is below 2^-60.
Complex cos_and_sin(double t) noexcept {
  constexpr double kCos[] = {1.0 / 20922789888000.0,
                             -1.0 / 87178291200.0,
                             1.0 / 479001600.0,
                             -1.0 / 3628800.0,
                             1.0 / 40320.0,
                             -1.0 / 720.0,
                             1.0 / 24.0,
                             -1.0 / 2.0,
                             1.0};
  constexpr double kSin[] = {1.0 / 355687428096000.0,
                             -1.0 / 1307674368000.0,
                             1.0 / 6227020800.0,
                             -1.0 / 39916800.0,
                             1.0 / 362880.0,
                             -1.0 / 5040.0,
                             1.0 / 120.0,
                             -1.0 / 6.0,
                             1.0};
  const double s = t * t;
  double c = kCos[0], d = kSin[0];
  for (int i = 1; i < 9; ++i) c = c * s + kCos[i];
  for (int i = 1; i < 9; ++i) d = d * s + kSin[i];
  return {c, t * d};
}

// exp(2 pi i k / n), the angle brought into an eighth of the circle in integers.
Complex root(int64_t k, int64_t n) noexcept {
  constexpr double kEighth = 0.78539816339744830962;  // pi / 4
  const int64_t eighth = 8 * k / n, rest = 8 * k - eighth * n;
  const bool odd = (eighth & 1) != 0;
  const Complex a = cos_and_sin(static_cast<double>(odd ? n - rest : rest) / static_cast<double>(n) * kEighth);
  switch (eighth) {
    case 0: return {a.re, a.im};
    case 1: return {a.im, a.re};
    case 2: return {-a.im, a.re};
    case 3: return {-a.re, a.im};
    case 4: return {-a.re, -a.im};
    case 5: return {-a.im, -a.re};
    case 6: return {a.im, -a.re};
    default: return {a.re, -a.im};
  }
}

Complex times(Complex a, Complex b) noexcept { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
Complex plus(Complex a, Complex b) noexcept { return {a.re + b.re, a.im + b.im}; }
Complex minus(Complex a, Complex b) noexcept { return {a.re - b.re, a.im - b.im}; }

int64_t factor_of(int64_t n) noexcept {
  if (n % 4 == 0) return 4;
  if (n % 2 == 0) return 2;
  for (int64_t p = 3; p * p <= n; p += 2)
    if (n % p == 0) return p;
  return n;
}

// w has the roots of `whole`; every `whole / n`th of them is one of n.
struct Transform {
  const Complex* w;
  int64_t whole;
  bool inverse;
  Complex* room;

  void run(const Complex* from, int64_t step, Complex* to, int64_t n) const noexcept {
    if (n == 1) {
      to[0] = from[0];
      return;
    }
    const int64_t p = factor_of(n), m = n / p, each = whole / n;
    for (int64_t r = 0; r < p; ++r) run(from + r * step, step * p, to + r * m, m);
    for (int64_t k = 0; k < m; ++k) {
      if (p == 2 || p == 4) {
        Complex t[4];
        t[0] = to[k];
        for (int64_t r = 1; r < p; ++r) t[r] = k == 0 ? to[r * m] : times(to[r * m + k], w[r * k * each]);
        if (p == 2) {
          to[k] = plus(t[0], t[1]);
          to[m + k] = minus(t[0], t[1]);
          continue;
        }
        const Complex a = plus(t[0], t[2]), b = minus(t[0], t[2]), c = plus(t[1], t[3]), d = minus(t[1], t[3]);
        const Complex turned = inverse ? Complex{-d.im, d.re} : Complex{d.im, -d.re};  // d times i or -i
        to[k] = plus(a, c);
        to[m + k] = plus(b, turned);
        to[2 * m + k] = minus(a, c);
        to[3 * m + k] = minus(b, turned);
        continue;
      }
      Complex* t = room;
      t[0] = to[k];
      for (int64_t r = 1; r < p; ++r) t[r] = k == 0 ? to[r * m] : times(to[r * m + k], w[r * k * each]);
      for (int64_t q = 0; q < p; ++q) {
        Complex sum = t[0];
        int64_t turn = 0;  // r * q mod p
        for (int64_t r = 1; r < p; ++r) {
          turn += q;
          if (turn >= p) turn -= p;
          sum = plus(sum, turn == 0 ? t[r] : times(t[r], w[turn * m * each]));
        }
        to[q * m + k] = sum;
      }
    }
  }
};

}  // namespace

void fill_roots(int64_t n, bool inverse, Complex* w) noexcept {
  for (int64_t k = 0; k < n; ++k) {
    w[k] = root(k, n);
    if (!inverse) w[k].im = -w[k].im;
  }
}

void transform(const Complex* from, Complex* to, int64_t n, const Complex* w, bool inverse, Complex* room) noexcept {
  Transform{w, n, inverse, room}.run(from, 1, to, n);
}

}  // namespace anydim
