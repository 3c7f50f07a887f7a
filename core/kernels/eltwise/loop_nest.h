// SPDX-License-Identifier: Apache-2.0
// The loops of an element-wise operator: the output's axes in the order in which they lie in memory, those that all
// operands walk alike merged into one. A dense channels-last tensor becomes a single loop; broadcasting is stride 0.
// Decided from actual dims in well under a microsecond; no index is ever divided per element.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

// The output, up to three inputs, and the post-ops' tensors.
constexpr int kMaxOperands = 4 + kMaxPostOps;

struct LoopNest {
  int rank = 0;      // at least 2 after make_loop_nest: rows and columns, both perhaps 1
  int operands = 0;  // operand 0 is the output
  int64_t dims[kMaxRank + 2] = {};
  int64_t strides[kMaxOperands][kMaxRank + 2] = {};  // in elements
  int64_t rows() const noexcept {
    int64_t n = 1;
    for (int i = 0; i + 1 < rank; ++i) n *= dims[i];
    return n;
  }
  int64_t columns() const noexcept { return dims[rank - 1]; }
};

// Operands after the output are broadcast to its dims. False if the output has no elements.
bool make_loop_nest(const TensorView& out, std::span<const TensorView> in, std::span<const TensorView> post_in, LoopNest* nest) noexcept;

// A run of rows along the axis next to the innermost, and a range of columns: what one call of a row kernel gets.
struct LoopBlock {
  int64_t offsets[kMaxOperands];  // of the first element, per operand, in elements
  int64_t rows, columns;
};

// Cuts the nest into tasks of about equal size (few, if there is little to do or one thread) and calls
// f(block) for each block of each task; blocks of different tasks may run at the same time.
template <class F> void run_loop_nest(const LoopNest& nest, const Parallel& parallel, int64_t elements_per_task, F&& f) noexcept {
  const int last = nest.rank - 1, second = nest.rank - 2;
  const int64_t rows = nest.rows(), columns = nest.columns();
  int64_t row_step = rows, column_step = columns;
  if (parallel.threads() > 1 && rows * columns > elements_per_task) {
    // A quarter of a thread's share at most, so that a late thread costs little.
    int64_t size = ceil_div(rows * columns, 4 * static_cast<int64_t>(parallel.threads()));
    if (size < elements_per_task) size = elements_per_task;
    if (columns >= 2 * size) {
      row_step = 1;
      column_step = round_up(size, 64);
    } else {
      row_step = ceil_div(size, columns);
    }
  }
  const int64_t column_tasks = ceil_div(columns, column_step), row_tasks = ceil_div(rows, row_step);
  auto task = [&](int64_t t, int) {
    const int64_t c0 = t % column_tasks * column_step, r0 = t / column_tasks * row_step;
    const int64_t r1 = r0 + row_step < rows ? r0 + row_step : rows;
    LoopBlock block;
    block.columns = c0 + column_step < columns ? column_step : columns - c0;
    int64_t at[kMaxRank + 2] = {};
    int64_t rest = r0;
    for (int i = second; i >= 0; --i) {
      at[i] = rest % nest.dims[i];
      rest /= nest.dims[i];
    }
    for (int64_t r = r0; r < r1; r += block.rows) {
      block.rows = nest.dims[second] - at[second];
      if (block.rows > r1 - r) block.rows = r1 - r;
      for (int o = 0; o < nest.operands; ++o) {
        int64_t offset = c0 * nest.strides[o][last];
        for (int i = 0; i <= second; ++i) offset += at[i] * nest.strides[o][i];
        block.offsets[o] = offset;
      }
      f(static_cast<const LoopBlock&>(block));
      at[second] += block.rows;
      for (int i = second; i > 0 && at[i] == nest.dims[i]; --i) {
        at[i] = 0;
        ++at[i - 1];
      }
    }
  };
  parallel.run(row_tasks * column_tasks, task);
}

}  // namespace anydim
