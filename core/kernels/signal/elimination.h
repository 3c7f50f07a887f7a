// SPDX-License-Identifier: Apache-2.0
// The determinant of a matrix by elimination, one function per instruction set. Includes nothing that leaves symbols behind.
#pragma once

#include <cstdint>

namespace anydim {

// Of the n rows of n numbers at `a`, which it uses up: docs/numerics.md, section 10.
struct Determinant {
  using Function = double(double* a, int64_t n) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
