// SPDX-License-Identifier: Apache-2.0
// transform.cpp's transform of kLanes lines at once, a line in each lane: each has the operations of the one alone, in their order, so
// its bits are the same. Not for lines alone.
#pragma once

#include "core/kernels/signal/transform.h"
#include "core/kernels/simd/doubles.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kLanes = kDoubles;
using Lanes = double __attribute__((vector_size(sizeof(double) * kLanes)));

struct Point {
  Lanes re, im;
};

inline Point times(const Point& a, const Complex& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
inline Point plus(const Point& a, const Point& b) { return {a.re + b.re, a.im + b.im}; }
inline Point minus(const Point& a, const Point& b) { return {a.re - b.re, a.im - b.im}; }

struct ManyTransforms {
  const Complex* w;
  int64_t whole;
  bool inverse;
  Point* room;

  static int64_t factor_of(int64_t n) {
    if (n % 4 == 0) return 4;
    if (n % 2 == 0) return 2;
    for (int64_t p = 3; p * p <= n; p += 2)
      if (n % p == 0) return p;
    return n;
  }

  void run(const Point* from, int64_t step, Point* to, int64_t n) const {
    if (n == 1) {
      to[0] = from[0];
      return;
    }
    const int64_t p = factor_of(n), m = n / p, each = whole / n;
    for (int64_t r = 0; r < p; ++r) {
      if (m == 1) to[r] = from[r * step];
      else run(from + r * step, step * p, to + r * m, m);
    }
    if (p == 4) by_4(to, m, each);
    else if (p == 2) by_2(to, m, each);
    else by_odd(to, p, m, each);
  }

  void by_4(Point* to, int64_t m, int64_t each) const {
    for (int64_t k = 0; k < m; ++k) {
      const Point t0 = to[k];
      const Point t1 = k == 0 ? to[m] : times(to[m + k], w[k * each]);
      const Point t2 = k == 0 ? to[2 * m] : times(to[2 * m + k], w[2 * k * each]);
      const Point t3 = k == 0 ? to[3 * m] : times(to[3 * m + k], w[3 * k * each]);
      const Point a = plus(t0, t2), b = minus(t0, t2), c = plus(t1, t3), d = minus(t1, t3);
      const Point turned = inverse ? Point{-d.im, d.re} : Point{d.im, -d.re};  // d times i or -i
      to[k] = plus(a, c);
      to[m + k] = plus(b, turned);
      to[2 * m + k] = minus(a, c);
      to[3 * m + k] = minus(b, turned);
    }
  }
  void by_2(Point* to, int64_t m, int64_t each) const {
    for (int64_t k = 0; k < m; ++k) {
      const Point a = to[k], b = k == 0 ? to[m] : times(to[m + k], w[k * each]);
      to[k] = plus(a, b);
      to[m + k] = minus(a, b);
    }
  }
  void by_odd(Point* to, int64_t p, int64_t m, int64_t each) const {
    Point* t = room;
    for (int64_t k = 0; k < m; ++k) {
      t[0] = to[k];
      for (int64_t r = 1; r < p; ++r) t[r] = k == 0 ? to[r * m] : times(to[r * m + k], w[r * k * each]);
      for (int64_t q = 0; q < p; ++q) {
        Point sum = t[0];
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

inline void transform_lanes(const double* from, double* to, int64_t n, const Complex* w, bool inverse, double* room) noexcept {
  ManyTransforms{w, n, inverse, reinterpret_cast<Point*>(room)}.run(reinterpret_cast<const Point*>(from), 1, reinterpret_cast<Point*>(to),
                                                                    n);
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
