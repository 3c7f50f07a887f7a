// SPDX-License-Identifier: Apache-2.0
// The f32 element-wise machine: a first operand and a chain of steps over a block of rows. What the kernels of each
// instruction set implement, one function each.
#pragma once

#include "core/kernels/eltwise/functions.h"

namespace anydim {

// One operand of a block: its first element and how it moves along rows and columns, in elements.
struct RowOperand {
  const float* data;
  int64_t row_stride, column_stride;
};

// A chain, a binary operator or a normalisation's two factors before it.
constexpr int kMaxRowSteps = kMaxPostOps + 2;

// out = steps(first), element by element. A step that takes a tensor reads operands[i].
struct RowBlock {
  float* out;
  int64_t out_row_stride, out_column_stride;
  RowOperand first;
  const PostOp* steps;
  RowOperand operands[kMaxRowSteps];
  int count;
  int64_t rows, columns;
};

struct EltwiseRows {
  using Function = void(const RowBlock& block) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
