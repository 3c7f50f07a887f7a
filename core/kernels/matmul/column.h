// SPDX-License-Identifier: Apache-2.0
// A matrix times one column: rows side by side in vectors, each with a chain of its own in its lane. The tiles of tile_engine.h
// have columns side by side, and with one of them most of a vector would be idle. A row times a matrix that nothing packed is the same
// product of the matrix's columns: the factors of a multiply-add may change places.
// Files of one instruction set include this header: plain data only.
#pragma once

#include "core/kernels/epilogue/epilogue_tile.h"

namespace anydim {

// Rows of a job at most: their sums lie on the stack.
constexpr int64_t kColumnRows = 128;

// Neighbouring rows (row_step is 1) or rows whose elements are neighbours (k_step is 1), times b; then the chain of post-ops, for
// which the rows are the columns of a tile one row high.
struct ColumnJob {
  const float* a = nullptr;
  int64_t row_step = 0, k_step = 0;
  const float* b = nullptr;
  int64_t b_step = 0;
  int64_t k = 0, rows = 0;
  float* dst = nullptr;
  int64_t dst_step = 0;
  const EpilogueProgram* program = nullptr;
  const float* operand[kMaxEpilogueOperands] = {};  // of the first row
};

struct ColumnProduct {
  using Function = void(const ColumnJob& job) noexcept;
  static Function avx512, avx2;
};

}  // namespace anydim
