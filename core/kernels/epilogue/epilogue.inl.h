// SPDX-License-Identifier: Apache-2.0
// The interpreter of post-op chains for one vector type. Kernels call the one instance of their instruction set (epilogue_tile.h): one in
// each kernel's file was 400 kB of equal code.
//
// A strip of eight vectors (8 rows x 1, 4 x 2 or 2 x 4) is loaded into registers, every step of the chain is applied
// to all of it, and it is stored: one dispatch per step and strip.
#pragma once

#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/epilogue_tile.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// One row of an operand whose columns are apart: n of them from `column` on. Out of line, as is scatter_row: what is
// rare must not cost the usual case its registers.
__attribute__((noinline)) void gather_row(const OperandWalk& w, const float* row, int column, int n, float* to) {
  if (w.columns) {
    for (int j = 0; j < n; ++j) to[j] = row[w.columns[column + j]];
    return;
  }
  const int64_t step = w.column_step;
  const float* p = row + column * step;
#pragma GCC unroll copies(4)
  for (int j = 0; j < n; ++j, p += step) to[j] = *p;
}
__attribute__((noinline)) void scatter_row(const EpilogueTile& tile, int row, int column, int n, const float* from) {
  float* to = tile.dst[row];
  if (tile.dst_columns) {
    for (int j = 0; j < n; ++j) to[tile.dst_columns[column + j]] = from[j];
    return;
  }
  const int64_t step = tile.dst_column_step;
  to += column * step;
#pragma GCC unroll copies(4)
  for (int j = 0; j < n; ++j, to += step) *to = from[j];
}

// Where a strip of a tile lies: rows from `row` on of vectors from `column` on, the last of which has `last` valid columns. A strip that is
// not whole has `count` rows: what it has room for beyond them repeats the last one and is not stored.
template <bool kWhole> struct Strip {
  int row, column, last, count = 0;
  int row_of(int i) const { return row + (kWhole || i < count ? i : count - 1); }
};

// Loads the operand's values for a strip.
template <int R, int C, bool kWhole>
inline __attribute__((always_inline)) void load_operand(const OperandWalk& w, const float* const* rows, Strip<kWhole> at, F32 (&t)[R][C]) {
  constexpr int W = F32::kWidth;
  const int column = at.column, last = at.last;
#pragma GCC unroll copies(8)
  for (int i = 0; i < R; ++i) {
    const float* p = w.by_row ? rows[at.row_of(i)] : rows[0];
    if (w.columns == nullptr && w.column_step == 1) {
#pragma GCC unroll copies(8)
      for (int j = 0; j < C - 1; ++j) t[i][j] = F32::load(p + column + j * W);
      p += column + (C - 1) * W;
      t[i][C - 1] = last == W ? F32::load(p) : F32::load_partial(p, last);
    } else if (w.columns == nullptr && w.column_step == 0) {
#pragma GCC unroll copies(8)
      for (int j = 0; j < C; ++j) t[i][j] = F32::set(*p);
    } else {
      alignas(64) float gathered[C * W] = {};
      gather_row(w, p, column, (C - 1) * W + last, gathered);
#pragma GCC unroll copies(8)
      for (int j = 0; j < C; ++j) t[i][j] = F32::load(gathered + j * W);
    }
  }
}

template <int R, int C, bool kWhole>
inline __attribute__((always_inline)) void store_strip(const EpilogueTile& tile, Strip<kWhole> at, const F32 (&v)[R][C]) {
  constexpr int W = F32::kWidth;
  const int column = at.column, last = at.last;
#pragma GCC unroll copies(8)
  for (int i = 0; i < R; ++i) {
    if (!kWhole && i >= at.count) return;
    if (tile.dst_columns == nullptr && tile.dst_column_step == 1) {
      float* p = tile.dst[at.row + i] + column;
#pragma GCC unroll copies(8)
      for (int j = 0; j < C - 1; ++j) v[i][j].store(p + j * W);
      if (last == W) v[i][C - 1].store(p + (C - 1) * W);
      else v[i][C - 1].store_partial(p + (C - 1) * W, last);
    } else {
      alignas(64) float t[C * W];
#pragma GCC unroll copies(8)
      for (int j = 0; j < C; ++j) v[i][j].store(t + j * W);
      scatter_row(tile, at.row + i, column, (C - 1) * W + last, t);
    }
  }
}

template <int R, int C, bool kWhole = true>
__attribute__((noinline)) void run_strip(const EpilogueProgram& program, const EpilogueTile& tile, Strip<kWhole> at) {
  constexpr int W = F32::kWidth;
  const int column = at.column;
  F32 v[R][C];
#pragma GCC unroll copies(8)
  for (int i = 0; i < R; ++i)
#pragma GCC unroll copies(8)
    for (int j = 0; j < C; ++j) v[i][j] = F32::load(tile.sums + at.row_of(i) * tile.sums_step + column + j * W);
  if (tile.bias != nullptr) {
#pragma GCC unroll copies(8)
    for (int j = 0; j < C; ++j) {
      const F32 b = F32::load(tile.bias + column + j * W);
#pragma GCC unroll copies(8)
      for (int i = 0; i < R; ++i) v[i][j] = v[i][j] + b;
    }
  }
  for (int k = 0; k < program.count; ++k) {
    const EpilogueStep& s = program.steps[k];
    if (s.kind == PostOp::Kind::unary) {
      unary_step(s.unary, s.alpha, s.beta, v);
    } else {
      F32 t[R][C];
      load_operand(program.walks[s.operand], tile.operands[s.operand], at, t);
      if (s.scale != 1.f) each(t, [&](F32 x) { return F32::set(s.scale) * x; });
      binary_step(s.binary, s.kind == PostOp::Kind::binary_reversed, v, t);
    }
  }
  store_strip(tile, at, v);
}

// All rows of C vectors from `column` on, R at a time. Some that are left go as one strip where their functions take not much longer then
// than those of one vector (silu behind 7 rows: a third of the time).
template <int R, int C> void run_columns(const EpilogueProgram& program, const EpilogueTile& tile, int column, int last) {
  int row = 0;
  for (; row + R <= tile.rows; row += R) run_strip<R, C>(program, tile, {row, column, last});
  if constexpr (kInRegisters && R > 2)
    if (row + 1 < tile.rows) return run_strip<R, C, false>(program, tile, {row, column, last, tile.rows - row});
  for (; row < tile.rows; ++row) run_strip<1, C>(program, tile, {row, column, last});
}

void run_rows_of_columns(const EpilogueProgram& program, const EpilogueTile& tile) {
  constexpr int W = F32::kWidth;
  for (int column = 0; column < tile.columns;) {
    const int left = tile.columns - column;
    if (left > 3 * W) {
      run_columns<2, 4>(program, tile, column, left >= 4 * W ? W : left - 3 * W);
      column += 4 * W;
    } else if (left > W) {
      run_columns<4, 2>(program, tile, column, left >= 2 * W ? W : left - W);
      column += 2 * W;
    } else {
      run_columns<8, 1>(program, tile, column, left);
      column += W;
    }
  }
}

// Columns lie apart and their rows side by side: a transposed matrix, channels of a plane.
bool is_turned(const EpilogueTile& tile) {
  if (tile.dst_columns != nullptr || tile.dst_column_step == 1 || tile.rows < 2) return false;
  for (int r = 1; r < tile.rows; ++r)
    if (tile.dst[r] != tile.dst[0] + r) return false;
  return true;
}

// Such a tile is finished in a buffer and turned: columns that lie a power of two apart share a few lines of the cache, and each would be
// fetched again for each of its rows (4,096 rows, AVX-512: 7.7 ns an element for that, now 0.9).
constexpr int kTurnedFloats = kMaxEpilogueRows * 32;
__attribute__((noinline)) void run_turned(const EpilogueProgram& program, const EpilogueTile& tile) {
  constexpr int W = F32::kWidth;
  alignas(64) float results[kTurnedFloats];
  const int step = (tile.columns + W - 1) / W * W;
  float* rows[kMaxEpilogueRows];
  for (int r = 0; r < tile.rows; ++r) rows[r] = results + r * step;
  EpilogueTile here = tile;
  here.dst = rows;
  here.dst_column_step = 1;
  run_rows_of_columns(program, here);
  for (int column = 0; column < tile.columns; column += W) {
    const int columns = tile.columns - column < W ? tile.columns - column : W;
    for (int row = 0; row < tile.rows; row += W) {
      const int count = tile.rows - row < W ? tile.rows - row : W;
      F32 x[W];
      for (int i = 0; i < W; ++i) x[i] = i < count ? F32::load(rows[row + i] + column) : F32::zero();
      transpose(x);
      float* to = tile.dst[row] + column * tile.dst_column_step;
      for (int j = 0; j < columns; ++j, to += tile.dst_column_step) {
        if (count == W) x[j].store(to);
        else x[j].store_partial(to, count);
      }
    }
  }
}

void run_epilogue(const EpilogueProgram& program, const EpilogueTile& tile) {
  constexpr int W = F32::kWidth;
  if (tile.rows * ((tile.columns + W - 1) / W * W) <= kTurnedFloats && is_turned(tile)) run_turned(program, tile);
  else run_rows_of_columns(program, tile);
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
