// SPDX-License-Identifier: Apache-2.0
// Reductions, softmax and layer norm see a tensor as kept axes and reduced axes. Kept axes may come in any order, so
// they are sorted by memory and merged; the innermost is the vector axis. Reduced axes keep their logical order, since
// the order of summation is promised; neighbours that lie alike in memory are merged.
// Files of one instruction set include this header: what has code is always inlined, so that it leaves no symbol.
#pragma once

#include <cstdint>

namespace anydim {

constexpr int kAxes = 8;

// The contract of docs/numerics.md, section 2.
constexpr int kReductionLanes = 32;
constexpr int64_t kLaneBlock = 4096;
constexpr int64_t kChainBlock = 64;

// Positions r = 0..count-1, row-major over the dims; strides in elements.
struct ReducedAxes {
  int rank = 1;
  int64_t count = 1;
  int64_t dims[kAxes] = {1};
  int64_t in_strides[kAxes] = {}, out_strides[kAxes] = {};
};

struct SplitAxes {
  int outer_rank = 0;  // kept axes but the vector axis
  int64_t outer_count = 1;
  int64_t outer_dims[kAxes] = {}, outer_in[kAxes] = {}, outer_out[kAxes] = {};
  int64_t width = 1, in_stride = 0, out_stride = 0;  // the vector axis
  ReducedAxes reduced;
};

// Bit i of `mask`: axis i is reduced. The strides of both sides are given for all axes (out strides of reduced axes
// matter only where the output has them, as in softmax).
SplitAxes split_axes(int rank, const int64_t* dims, const int64_t* in_strides, const int64_t* out_strides, uint32_t mask) noexcept;

// For reductions whose order is free: the outermost axis in memory first, neighbours that lie alike merged. Of the input alone.
void sort_by_memory(ReducedAxes* reduced) noexcept;

// Offsets of the i-th combination of the outer axes.
__attribute__((always_inline)) inline void outer_offsets(const SplitAxes& a, int64_t i, int64_t* in, int64_t* out) noexcept {
  *in = *out = 0;
  for (int k = a.outer_rank - 1; k >= 0; --k) {
    const int64_t at = i % a.outer_dims[k];
    i /= a.outer_dims[k];
    *in += at * a.outer_in[k];
    *out += at * a.outer_out[k];
  }
}

// A walk over reduced positions in order, in runs along the innermost axis.
struct ReducedCursor {
  const ReducedAxes& axes;
  int64_t at[kAxes] = {};
  int64_t in = 0, out = 0;  // offsets of the current position

  // Positions left before the innermost axis ends.
  __attribute__((always_inline)) int64_t run() const noexcept { return axes.dims[axes.rank - 1] - at[axes.rank - 1]; }
  // n <= run().
  __attribute__((always_inline)) void advance(int64_t n) noexcept {
    int k = axes.rank - 1;
    at[k] += n;
    in += n * axes.in_strides[k];
    out += n * axes.out_strides[k];
    while (k > 0 && at[k] == axes.dims[k]) {
      in += axes.in_strides[k - 1] - at[k] * axes.in_strides[k];
      out += axes.out_strides[k - 1] - at[k] * axes.out_strides[k];
      at[k] = 0;
      ++at[--k];
    }
  }
};

}  // namespace anydim
