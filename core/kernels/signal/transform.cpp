// SPDX-License-Identifier: Apache-2.0
// See transform.h: decimation in time. A length is cut by 4 while it is a multiple of 4, then by its smallest prime factor. A prime p
// beyond kLongestDirect would take p^2 steps; it is a convolution with a chirp, of a power of 2.
#include "core/kernels/signal/transform.h"

#include <algorithm>

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

// The smallest power of 2 that holds a convolution of a line of p with its chirp.
int64_t length_of_chirp(int64_t p) noexcept {
  int64_t m = 1;
  while (m < 2 * p - 1) m *= 2;
  return m;
}

// Each prime factor of n beyond kLongestDirect, once, with the index where its tables begin: the roots of its power of 2, m; the transform
// of the conjugate chirp, m; the chirp, in the first p of another m.
template <class F> void each_long_prime(int64_t n, F&& use) noexcept {
  int64_t at = n, last = 0;
  while (n > 1) {
    const int64_t p = factor_of(n);
    n /= p;
    if (p <= kLongestDirect || p == last) continue;
    const int64_t m = length_of_chirp(p);
    use(last = p, m, at);
    at += 3 * m;
  }
}

// w has the roots of `whole`, then the tables of its long primes; every `whole / n`th root is one of n.
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
      if (p > kLongestDirect) {
        by_chirp(p, to + k, m);
        continue;
      }
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

  // to[q * step] = the transform of the first p numbers of the room: q * r = (q^2 + r^2 - (q - r)^2) / 2.
  void by_chirp(int64_t p, Complex* to, int64_t step) const noexcept {
    const Complex* tables = nullptr;
    int64_t m = 0;
    each_long_prime(whole, [&](int64_t prime, int64_t length, int64_t at) {
      if (prime == p) tables = w + at, m = length;
    });
    const Complex *spectrum = tables + m, *chirp = spectrum + m;
    Complex *a = room + p, *b = a + m;
    for (int64_t j = 0; j < p; ++j) a[j] = times(room[j], chirp[j]);
    for (int64_t j = p; j < m; ++j) a[j] = {};
    const Transform power{tables, m, false, nullptr};
    power.run(a, 1, b, m);
    for (int64_t j = 0; j < m; ++j) {
      b[j] = times(b[j], spectrum[j]);
      b[j].im = -b[j].im;
    }
    power.run(b, 1, a, m);
    const double scale = 1.0 / static_cast<double>(m);
    for (int64_t q = 0; q < p; ++q) to[q * step] = times(chirp[q], {a[q].re * scale, -a[q].im * scale});
  }
};

void fill_circle(int64_t n, bool inverse, Complex* w) noexcept {
  for (int64_t k = 0; k < n; ++k) {
    w[k] = root(k, n);
    if (!inverse) w[k].im = -w[k].im;
  }
}

}  // namespace

int64_t numbers_of_roots(int64_t n) noexcept {
  int64_t numbers = n;
  each_long_prime(n, [&](int64_t, int64_t m, int64_t) { numbers += 3 * m; });
  return numbers;
}

int64_t numbers_of_room(int64_t n) noexcept {
  int64_t most = n;
  each_long_prime(n, [&](int64_t p, int64_t m, int64_t) { most = std::max(most, p + 2 * m); });
  return most;
}

void fill_roots(int64_t n, bool inverse, Complex* w) noexcept {
  fill_circle(n, inverse, w);
  each_long_prime(n, [&](int64_t p, int64_t m, int64_t at) {
    Complex *roots = w + at, *spectrum = roots + m, *chirp = spectrum + m;
    const auto chirp_at = [&](int64_t j) {  // exp(-pi i j^2 / p), or of +pi i
      Complex c = root(j * j % (2 * p), 2 * p);
      if (!inverse) c.im = -c.im;
      return c;
    };
    fill_circle(m, false, roots);
    std::fill(chirp, chirp + m, Complex{});
    for (int64_t j = 0; j < p; ++j) {
      const Complex c = chirp_at(j);
      chirp[j] = chirp[(m - j) % m] = {c.re, -c.im};
    }
    Transform{roots, m, false, nullptr}.run(chirp, 1, spectrum, m);
    for (int64_t j = 0; j < p; ++j) chirp[j].im = -chirp[j].im;
  });
}

void transform(const Complex* from, Complex* to, int64_t n, const Complex* w, bool inverse, Complex* room) noexcept {
  Transform{w, n, inverse, room}.run(from, 1, to, n);
}

}  // namespace anydim
