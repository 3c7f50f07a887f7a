// SPDX-License-Identifier: Apache-2.0
// Functions by name on a strip of vectors that lies in memory, in place: of each instruction set one body, which the element-wise machine,
// the epilogue and the recurrent cells share. It is a large switch, and a copy in each was 110 kB of the library
// (docs/decisions/194-size-of-the-library.md). rows_*.cpp define the members.
#pragma once

#include "core/kernels/eltwise/functions.h"

namespace anydim {

// strip[i] = function(strip[i]) for n vectors of the set.
struct StripUnary {
  using Function = void(UnaryFunction function, float alpha, float beta, void* strip, int n) noexcept;
  static Function avx512, avx2, portable;
};

// a[i] = function(a[i], b[i]).
struct StripBinary {
  using Function = void(BinaryFunction function, void* a, const void* b, int n) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
