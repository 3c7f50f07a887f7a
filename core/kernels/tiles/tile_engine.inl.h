// SPDX-License-Identifier: Apache-2.0
// The tile engine around its microkernels: rows gathered into blocks, loops over tiles and panels, the epilogue, packing. See tile_engine.h
// for the design.
#pragma once

#include <cstdint>
#include <utility>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"
#include "core/kernels/simd/set.h"
#include "core/kernels/tiles/tile_engine.h"
#include "core/kernels/tiles/tile_kernels.inl.h"
// With what the microkernels define.
#include "core/kernels/tiles/tile_rows.inl.h"

namespace anydim::ANYDIM_ISA {
namespace {

// Rows as tiles: even ones, the first `high` of them with one row more. With few forms full ones, and what is left.
struct RowCut {
  int32_t most, rows, tiles, low, high;
  RowCut(int32_t rows_, int32_t most_) : most(most_), rows(rows_), tiles((rows_ + most_ - 1) / most_) {
    low = rows / tiles;
    high = rows % tiles;
  }
  int32_t largest() const { return kFewForms ? (rows < most ? rows : most) : low + (high > 0); }
  int32_t operator()(int32_t tile) const {
    if constexpr (kFewForms) return tile + 1 < tiles ? most : rows - tile * most;
    else return low + (tile < high);
  }
};

// What stays the same over the tiles of a job.
struct JobState {
  const TileJob& job;
  bool simple;  // nothing but bias, relu and a rounding to 16 bits, contiguous columns: tiles store themselves
  bool relu;
  UnaryFunction rounding;  // or identity
  // More than caches keep: lines are fetched for writing while their sums are made (60 rows of 6,906 columns, k 80: 0.97 to
  // 0.84 ms).
  bool far_output;
};
constexpr int64_t kFarOutput = 1 << 18;  // floats

// The part of k that a call of a tile is for.
struct KPart {
  const KSegment* segments;
  int32_t count;
  bool first, last;
};

// `sums`: memory for the tile's.
void run_tile(const JobState& state, const RowBlock& block, int32_t at, int32_t rows, int64_t panel, int panels, const KPart& part,
              float* sums) {
  const TileJob& job = state.job;
  const int64_t column = panel * 2 * kW;
  const TileWidth width = tile_width(job, panel, panels);
  TileCall call;
  call.rows = block.src + at;
  call.segments = part.segments;
  call.segment_count = part.count;
  call.resumes = !part.first;
  call.pauses = !part.last;
  call.k_step = job.k_step;
  call.elements = job.elements;
  call.element_blocks = job.element_blocks;
  call.element_ends = job.element_ends;
  call.panel = job.panels + column * job.k;
  call.panel_stride = 2 * kW * job.k;
  call.bias = job.bias ? job.bias + column : nullptr;
  call.sums = sums;
  call.last = static_cast<int32_t>(width.columns - (width.vectors - 1) * kW);
  const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
  call.direct = state.simple;
  call.relu = state.relu;
  float* dst[kMostRows];
  for (int32_t i = 0; i < rows; ++i) dst[i] = block.dst[at + i] + column * job.dst_column_step;
  call.dst = dst;
  if (!part.last) {
    run_rows(call, false, width.halves, rows);
    return;
  }
  if (!state.simple) fetch_operands(job, block, at, rows, column, width.columns, operands);
  if (state.far_output)
    for (int32_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < width.columns; j += 16) __builtin_prefetch(dst[r] + j, 1, 3);
  run_rows(call, job.elements != nullptr, width.halves, rows);
  if (!state.simple) finish_tile(job, sums, width, rows, dst, call.bias, operands);
  for (int32_t i = 0; state.simple && state.rounding != UnaryFunction::identity && i < rows; ++i)
    round_line(state.rounding, dst[i], width.columns);
}

// A tile of a ragged job, of one panel: block by block, first the chains of the rows that have something of it, then those are
// added to the rows' totals. A total begins as -0, to which a first block's value adds unchanged.
__attribute__((noinline)) void run_ragged_tile(const JobState& state, const RowBlock& block, int32_t at, int32_t rows, int64_t panel) {
  const TileJob& job = state.job;
  const int64_t column = panel * 2 * kW;
  const TileWidth width = tile_width(job, panel, 1);
  const int64_t row_floats = width.vectors * kW;
  alignas(64) float chains[kTileRows[1] * 2 * kW], totals[kTileRows[1] * 2 * kW];
  for (int64_t i = 0; i < rows * row_floats; i += kW) {
    F32::zero().store(chains + i);
    F32::set(-0.f).store(totals + i);
  }
  TileCall call;
  call.k_step = job.k_step;
  call.panel = job.panels + column * job.k;
  float* dst[kMostRows];
  for (int32_t i = 0; i < rows; ++i) dst[i] = block.dst[at + i] + column * job.dst_column_step;
  const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
  fetch_operands(job, block, at, rows, column, width.columns, operands);

  const int64_t begin = (block.first + at) % job.count[kRowAxes - 1], end = begin + rows;
  const auto part_of_tile = [&](const KSegment& s, int32_t* from, int32_t* to) {
    const int64_t first = s.first_row > begin ? s.first_row : begin, last = s.end_row < end ? s.end_row : end;
    *from = static_cast<int32_t>(first - begin);
    *to = last > first ? static_cast<int32_t>(last - begin) : *from;
  };
  uint32_t in_block = 0, ever = 0;  // rows that have something of this block, of any
  const KSegment* const list_end = job.segments + job.segment_count;
  for (const KSegment* s = job.segments; s != list_end;) {
    int32_t from, to, next_from, next_to;
    part_of_tile(*s, &from, &to);
    const KSegment* const first = s;
    bool ends;
    do {
      ends = s->ends_block != 0 || s + 1 == list_end;
      ++s;
      if (!ends) part_of_tile(*s, &next_from, &next_to);
    } while (!ends && next_from == from && next_to == to);
    if (to > from) {
      call.rows = block.src + at + from;
      call.segments = first;
      call.segment_count = static_cast<int32_t>(s - first);
      call.sums = chains + from * row_floats;
      run_continued(call, width.halves, to - from);
      in_block |= (uint32_t{1} << to) - (uint32_t{1} << from);
    }
    if (!ends) continue;
    for (int32_t r = 0; r < rows; ++r)
      if (in_block >> r & 1)
        for (int64_t i = r * row_floats; i < (r + 1) * row_floats; i += kW) {
          (F32::load(totals + i) + F32::load(chains + i)).store(totals + i);
          F32::zero().store(chains + i);
        }
    ever |= in_block;
    in_block = 0;
  }
  for (int32_t r = 0; r < rows; ++r)
    if (!(ever >> r & 1))
      for (int64_t i = r * row_floats; i < (r + 1) * row_floats; i += kW) F32::zero().store(totals + i);
  finish_tile(job, totals, width, rows, dst, job.bias ? job.bias + column : nullptr, operands);
}
static_assert(kTileRows[1] < 32);

void run_whole_tile(const JobState& state, const RowBlock& block, int32_t at, int32_t rows, int64_t panel, int panels) {
  if (state.job.ragged) return run_ragged_tile(state, block, at, rows, panel);
  alignas(64) float sums[kMostRows * 2 * kW];
  static_assert(sizeof(sums) / 4 >= kTileRows[0] * kW && sizeof(sums) / 4 >= kTileRows[1] * 2 * kW &&
                sizeof(sums) / 4 >= kTileRows[2] * 4 * kW && sizeof(sums) / 4 >= kTileRows[3] * 8 * kW);
  run_tile(state, block, at, rows, panel, panels, {state.job.segments, state.job.segment_count, true, true}, sums);
}

// How many panels a tile of `rows` rows takes at once, beginning at `panel`.
int panels_at_once(const TileJob& job, int32_t rows, int64_t panel) {
  if (job.ragged) return 1;
  int64_t whole = job.panel_end - panel;
  // A narrow last panel is read alone.
  const int64_t last = job.columns - (job.panel_end - 1) * 2 * kW;
  if (last <= (kHasHalf ? kW + kW / 2 : kW)) --whole;
  if (!job.elements && rows <= kTileRows[3] && whole >= 4) return 4;
  if (rows <= kTileRows[2] && whole >= 2) return 2;
  return 1;
}

// All tiles of a block of rows on a few panels, a part of k at a time: what a part reads of the panels and of the rows stays in L2 from
// the first tile to the last, and the rows come from beyond it once for all of these panels. Returns the panel behind them.
__attribute__((noinline)) int64_t run_in_parts(const JobState& state, const RowBlock& block, const RowCut& cut, int64_t panel) {
  alignas(64) float sums[kPanelsInParts * kBlockRows * 2 * kW];
  const TileJob& job = state.job;
  int at_once[kPanelsInParts], calls = 0, count = 0;
  while (panel + count < job.panel_end) {
    const int n = panels_at_once(job, cut.largest(), panel + count);
    if (count + n > kPanelsInParts) break;
    at_once[calls++] = n;
    count += n;
  }
  const KSegment* s = job.segments;
  const KSegment* const end = s + job.segment_count;
  for (KPart part{s, 0, true, false}; s != end; part = {s, 0, false, false}) {
    int64_t k = 0;
    do k += s->count;
    while (++s != end && (k < job.k_part || !s[-1].ends_block));
    part.count = static_cast<int32_t>(s - part.segments);
    part.last = s == end;
    int64_t first = 0;
    for (int call = 0; call < calls; first += at_once[call++]) {
      int32_t at = 0;
      for (int32_t t = 0; t < cut.tiles; ++t) {
        const int32_t rows = cut(t);
        run_tile(state, block, at, rows, panel + first, at_once[call], part, sums + (first * block.rows + at * at_once[call]) * 2 * kW);
        at += rows;
      }
    }
  }
  return panel + count;
}

void run_job(const TileJob& job) {
  const EpilogueProgram& p = *job.program;
  const UnaryFunction rounding = rounding_at_end(p);
  const bool relu = p.count > 0 && p.steps[0].kind == PostOp::Kind::unary && p.steps[0].unary == UnaryFunction::relu;
  const bool neighbours = job.dst_column_step == 1 && !job.dst_columns;
  const JobState state{job, neighbours && p.count == relu + (rounding != UnaryFunction::identity), relu, rounding,
                       neighbours && (job.row_end - job.row_begin) * job.columns > kFarOutput};
  const int most = job.ragged && job.tile_rows > kTileRows[1] ? kTileRows[1] : job.tile_rows;
  int64_t block_rows = job.row_block > kBlockRows ? kBlockRows : job.row_block;
  if (block_rows < most) block_rows = most;
  block_rows -= block_rows % most;
  RowBlock block;
  for (int64_t r = job.row_begin; r < job.row_end; r += block_rows) {
    const int64_t left = job.row_end - r;
    const auto rows = static_cast<int32_t>(left < block_rows ? left : block_rows);
    fill_rows(job, r, rows, &block);
    const RowCut cut(rows, most);
    if (job.panels_outer) {
      for (int64_t panel = job.panel_begin; panel < job.panel_end;) {
        const int n = panels_at_once(job, cut.largest(), panel);
        int32_t at = 0;
        if (job.k_part > 0 && job.segment_count > 0 && !job.elements && !job.ragged && cut.tiles > 1 && n <= kPanelsInParts) {
          panel = run_in_parts(state, block, cut, panel);
          continue;
        }
        for (int32_t t = 0; t < cut.tiles; ++t) {
          const int32_t mr = cut(t);
          run_whole_tile(state, block, at, mr, panel, n);
          at += mr;
        }
        panel += n;
      }
    } else {
      int32_t at = 0;
      for (int32_t t = 0; t < cut.tiles; ++t) {
        const int32_t mr = cut(t);
        for (int64_t panel = job.panel_begin; panel < job.panel_end;) {
          const int n = panels_at_once(job, mr, panel);
          run_whole_tile(state, block, at, mr, panel, n);
          panel += n;
        }
        at += mr;
      }
    }
  }
}

float read_unaligned(const float* p) {
  float value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}

void pack_panels(const PackJob& job) {
  for (int64_t p = job.panel_begin; p < job.panel_end; ++p) {
    const int64_t column = p * 2 * kW;
    int64_t n = job.columns - column;
    if (n > 2 * kW) n = 2 * kW;
    constexpr int kPart = kHasHalf ? kW / 2 : kW;
    const int64_t width = (n + kPart - 1) / kPart * kPart;
    float* to = job.panels + column * job.k + job.first * width;
    const float* from = job.b + column * job.column_stride;  // at any address
    if (job.column_stride == 1 && n == 2 * kW) {
      for (int64_t i = 0; i < job.rows; ++i, to += 2 * kW) {
        const float* q = from + i * job.row_stride;
        F32::load(q).store(to);
        F32::load(q + kW).store(to + kW);
      }
    } else if (job.column_stride == 1) {
      for (int64_t i = 0; i < job.rows; ++i, to += width) {
        const float* q = from + i * job.row_stride;
        for (int64_t j = 0; j < width; j += kPart) Half::load_partial(q + j, static_cast<int>(n - j < kPart ? n - j : kPart)).store(to + j);
      }
    } else {
      // Columns are far apart: eight rows at a time, so that a cache line of a column is used whole.
      for (int64_t i0 = 0; i0 < job.rows; i0 += 8) {
        const int64_t i1 = i0 + 8 < job.rows ? i0 + 8 : job.rows;
        for (int64_t j = 0; j < width; ++j)
          for (int64_t i = i0; i < i1; ++i)
            to[i * width + j] = j < n ? read_unaligned(from + i * job.row_stride + j * job.column_stride) : 0.f;
      }
    }
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
