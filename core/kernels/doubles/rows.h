// SPDX-License-Identifier: Apache-2.0
// What the kernels of f64 tensors need of an instruction set: tiles of a product, and rows that are reduced. Includes nothing that
// leaves symbols behind.
#pragma once

#include "core/kernels/reduce/axes.h"
#include "core/ops/generated/enums.h"

namespace anydim {

constexpr int64_t kDoubleColumns = 16;  // of a tile
constexpr int64_t kDoubleBlock = 128;   // of k: docs/numerics.md, section 1

// Up to kDoubleBlock steps of k: the chains of `rows` rows and kDoubleColumns columns, which become the totals or are added to them.
struct DoubleTile {
  const double* const* a;  // a row's first element of this block
  int64_t a_step;          // along k
  const double* b;         // kDoubleColumns elements side by side for each k
  int64_t b_step;
  int64_t k, rows;
  double* totals;  // of a row kDoubleColumns, side by side
  bool first;
  int64_t total_step = kDoubleColumns;  // from row to row
};

// Elements side by side that a reduction goes on with, by the lane rule or the chain rule; those before them were a whole number of
// blocks. Of max and min any number, in any order.
struct DoublePart {
  ReduceKind kind;
  bool lanes;
  const double* x;
  int64_t n;
  double total;  // of the elements before
  bool first;    // there are none
};

// Elements side by side along a kept axis: `width` chains (docs/numerics.md, section 2), at least kDoubleChains.
constexpr int64_t kDoubleChains = 8;
struct DoubleChains {
  ReduceKind kind;
  const double* in;
  double* out;
  int64_t width, out_stride;
  const ReducedAxes* axes;
};

struct DoubleRows {
  void (*tile)(const DoubleTile& tile) noexcept;
  double (*part)(const DoublePart& part) noexcept;  // the total with these elements
  void (*chains)(const DoubleChains& chains) noexcept;
  void (*exp_less)(const double* x, double m, double* y, int64_t n) noexcept;             // y = exp(x - m); y may be x
  void (*softmax)(const double* x, double* y, int64_t n) noexcept;                        // y may be x
  void (*most)(const double* const* rows, int64_t count, double* y, int64_t n) noexcept;  // y[i]: the largest of rows[.][i]
  // Null scale or shift: none.
  void (*layer_norm)(const double* x, const double* scale, const double* shift, double epsilon, double* y, int64_t n) noexcept;
  static const DoubleRows avx512, avx2, portable;
};

// Whether `part` and `chains` have this kind: those without a logarithm.
constexpr bool has_double_rows(ReduceKind kind) noexcept { return kind != ReduceKind::log_sum && kind != ReduceKind::log_sum_exp; }

}  // namespace anydim
