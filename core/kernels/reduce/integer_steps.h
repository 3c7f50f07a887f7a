// SPDX-License-Identifier: Apache-2.0
// What a reduction of integers needs of an instruction set: steps of one kind on elements side by side. Sums are exact modulo 2^n, so
// they go in any order (docs/numerics.md, section 2). Includes nothing that leaves symbols behind.
#pragma once

#include <cstdint>

#include "core/ops/generated/enums.h"
#include "core/tensor/dtype.h"

namespace anydim {

constexpr int64_t kIntegerVector = 64;  // bytes: partial results lie at a multiple of it, and what is behind them up to there may change

// A partial result has the element's width, or, of means, 64 bits. `turn` changes elements before they are taken: the largest of any
// type is that of signed numbers whose bits were turned over, and the least that with all bits turned over.
struct IntegerTake {
  void* partial;
  const void* x;
  int64_t n;
  uint64_t turn, neutral;            // neutral: an element that changes no result
  uint64_t start = 0;                // along: a partial result of nothing
  int64_t rows = 1, row_stride = 0;  // along: in elements
};
struct IntegerSteps {
  void (*across)(const IntegerTake& t) noexcept;  // partial[i] takes x[i]
  void (*along)(const IntegerTake& t) noexcept;   // partial[r] takes the n elements of row r, which lie side by side
};

// Null: there are no steps of this kind and dtype.
struct IntegerStepsOf {
  using Function = const IntegerSteps*(ReduceKind kind, DType dtype) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
