// SPDX-License-Identifier: Apache-2.0
// The Fourier transform of one line in binary64, by the factors of its length: docs/numerics.md, section 10. Sines and cosines are of
// this file alone, so that no library of the system decides bits.
#pragma once

#include <cstdint>

namespace anydim {

struct Complex {
  double re, im;
};

// Larger prime factors of a length are convolutions with a chirp; lengths that have one are transformed a line at a time.
inline constexpr int64_t kLongestDirect = 256;

// How many numbers fill_roots writes, and how many of scratch a transform takes; both are n where all prime factors are direct.
int64_t numbers_of_roots(int64_t n) noexcept;
int64_t numbers_of_room(int64_t n) noexcept;
// What both are at most for any length up to n.
constexpr int64_t kMostRoots = 13, kMostRoom = 9;  // times n

// w[k] = exp(-2 pi i k / n), or of +2 pi i; behind these what large prime factors need.
void fill_roots(int64_t n, bool inverse, Complex* w) noexcept;

// to[k] = the sum of from[j] * w[j * k mod n], w of the same direction. `room`: numbers_of_room(n). `from` and `to` do not overlap.
void transform(const Complex* from, Complex* to, int64_t n, const Complex* w, bool inverse, Complex* room) noexcept;

// The same of 4 or 8 lines at once: numbers j of all lines lie together, first the real parts. Aligned to 64 bytes.
struct ManyLines {
  int count = 1;
  void (*transform)(const double* from, double* to, int64_t n, const Complex* w, bool inverse, double* room) noexcept = nullptr;
  static const ManyLines avx512, avx2;
};

}  // namespace anydim
