// SPDX-License-Identifier: Apache-2.0
// What a kernel of an instruction set implements for NonZero: elements that lie side by side as bits, 1 where one is not zero.
#pragma once

#include <cstdint>

namespace anydim {

// All that a test for zero has to know of a dtype.
struct ElementBits {
  int size;          // bytes: 1, 2, 4 or 8
  bool signed_zero;  // the highest bit does not count: floats
};

struct BitFunctions {
  // How many of x[0..n) are not zero.
  int64_t (*count)(ElementBits element, const void* x, int64_t n) noexcept;
  // Bit i % 64 of words[i / 64] is 1 where x[i] is not zero; bits beyond n are 0.
  void (*mark)(ElementBits element, const void* x, int64_t n, uint64_t* words) noexcept;
  static const BitFunctions avx512, avx2, portable;
};

}  // namespace anydim
