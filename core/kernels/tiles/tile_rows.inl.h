// SPDX-License-Identifier: Apache-2.0
// What every tile engine does around its sums: the rows of a block with their addresses, the operands of post-ops, and the epilogue of
// tiles whose sums lie in memory. kW, kMostRows, kHasHalf and prefetch() of an engine stand before it.
#pragma once

#include <cstdint>

#include "core/kernels/epilogue/rounding.inl.h"
#include "core/kernels/simd/set.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr auto run_epilogue = RunEpilogue::ANYDIM_ISA;

// Base pointers of a block of rows, made once and used by every panel.
constexpr int kBlockRows = 280;
struct RowBlock {
  int32_t rows = 0;
  int64_t first = 0;  // flat row number
  const float* src[kBlockRows];
  float* dst[kBlockRows];
};

void fill_rows(const TileJob& job, int64_t first, int32_t rows, RowBlock* block) {
  block->rows = rows;
  block->first = first;
  int64_t at[kRowAxes], rest = first;
  for (int a = kRowAxes - 1; a > 0; --a) {
    at[a] = rest % job.count[a];
    rest /= job.count[a];
  }
  at[0] = rest;
  const int64_t s = job.src_step[kRowAxes - 1], d = job.dst_step[kRowAxes - 1];
  int32_t r = 0;
  while (r < rows) {
    const float* src = job.src;
    float* dst = job.dst;
    for (int a = 0; a < kRowAxes; ++a) {
      src += at[a] * job.src_step[a];
      dst += at[a] * job.dst_step[a];
    }
    int64_t run = job.count[kRowAxes - 1] - at[kRowAxes - 1];
    if (run > rows - r) run = rows - r;
    for (int64_t i = 0; i < run; ++i, ++r) {
      block->src[r] = src;
      block->dst[r] = dst;
      src += s;
      dst += d;
    }
    at[kRowAxes - 1] = 0;
    for (int a = kRowAxes - 2; a >= 0; --a) {
      if (++at[a] < job.count[a] || a == 0) break;
      at[a] = 0;
    }
  }
}

// The pointers of row operands for rows [first, first + rows) of the job, at `column`.
void fill_operands(const TileJob& job, const RowBlock& block, int32_t at, int32_t rows, int64_t column,
                   const float* (*out)[kMaxEpilogueRows]) {
  const EpilogueProgram& p = *job.program;
  for (int o = 0; o < p.operand_count; ++o) {
    const float* base = job.operand[o] + column * p.walks[o].column_step;
    const int64_t* step = job.operand_step[o];
    if (!p.walks[o].by_row) {
      out[o][0] = base;
      continue;
    }
    bool like_dst = true;  // the usual residual
    for (int a = 0; a < kRowAxes; ++a) like_dst &= step[a] == job.dst_step[a] || job.count[a] == 1;
    if (like_dst) {
      for (int32_t r = 0; r < rows; ++r) out[o][r] = base + (block.dst[at + r] - job.dst);
      continue;
    }
    int64_t place[kRowAxes], rest = block.first + at;
    for (int a = kRowAxes - 1; a > 0; --a) {
      place[a] = rest % job.count[a];
      rest /= job.count[a];
    }
    place[0] = rest;
    for (int32_t r = 0; r < rows; ++r) {
      out[o][r] = base + place[0] * step[0] + place[1] * step[1] + place[2] * step[2] + place[3] * step[3];
      for (int a = kRowAxes - 1; a > 0 && ++place[a] == job.count[a]; --a) {
        place[a] = 0;
        if (a == 1) ++place[0];
      }
    }
  }
}

// Columns that a tile of `panels` panels has, and how wide they lie in registers: in half vectors, and in vectors.
struct TileWidth {
  int64_t columns;
  int halves, vectors;
};
TileWidth tile_width(const TileJob& job, int64_t panel, int panels) {
  int64_t columns = job.columns - panel * 2 * kW;
  if (columns > panels * 2 * kW) columns = panels * 2 * kW;
  // Several panels at once are always whole ones.
  constexpr int kPart = kHasHalf ? kW / 2 : kW;
  const int halves = panels > 1 ? 4 * panels : static_cast<int>((columns + kPart - 1) / kPart) * (kHasHalf ? 1 : 2);
  return {columns, halves, (halves + 1) / 2};
}

// The pointers of a tile's operands; residuals come from far away and arrive while the sums are made.
void fetch_operands(const TileJob& job, const RowBlock& block, int32_t at, int32_t rows, int64_t column, int64_t columns,
                    const float* (*operands)[kMaxEpilogueRows]) {
  fill_operands(job, block, at, rows, column, operands);
  for (int o = 0; o < job.program->operand_count; ++o)
    if (job.program->walks[o].by_row && job.program->walks[o].column_step == 1 && !job.program->walks[o].columns)
      for (int32_t r = 0; r < rows; ++r)
        for (int64_t j = 0; j < columns; j += 16) prefetch(operands[o][r] + j);
}

// Bias, post-ops and the store of sums that lie in memory.
void finish_tile(const TileJob& job, float* sums, const TileWidth& width, int32_t rows, float* const* dst, const float* bias,
                 const float* (*operands)[kMaxEpilogueRows]) {
  EpilogueTile tile;
  tile.sums = sums;
  tile.sums_step = width.vectors * kW;
  tile.rows = rows;
  tile.columns = static_cast<int32_t>(width.columns);
  tile.dst = dst;
  tile.dst_column_step = job.dst_column_step;
  tile.dst_columns = job.dst_columns;
  tile.bias = bias;
  tile.operands = operands;
  run_epilogue(*job.program, tile);
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
