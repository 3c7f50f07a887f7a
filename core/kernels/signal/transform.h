// SPDX-License-Identifier: Apache-2.0
// The Fourier transform of one line in binary64, by the factors of its length: docs/numerics.md, section 10. Sines and cosines are of
// this file alone, so that no library of the system decides bits.
#pragma once

#include <cstdint>

namespace anydim {

struct Complex {
  double re, im;
};

// w[k] = exp(-2 pi i k / n), or of +2 pi i.
void fill_roots(int64_t n, bool inverse, Complex* w) noexcept;

// to[k] = the sum of from[j] * w[j * k mod n], w of the same direction. `room`: n numbers of scratch. `from` and `to` do not overlap.
void transform(const Complex* from, Complex* to, int64_t n, const Complex* w, bool inverse, Complex* room) noexcept;

// The same of 4 or 8 lines at once: numbers j of all lines lie together, first the real parts. Aligned to 64 bytes.
void transform_lanes_avx2(const double* from, double* to, int64_t n, const Complex* w, bool inverse, double* room) noexcept;
void transform_lanes_avx512(const double* from, double* to, int64_t n, const Complex* w, bool inverse, double* room) noexcept;

}  // namespace anydim
