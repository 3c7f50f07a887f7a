// SPDX-License-Identifier: Apache-2.0
// The tile engine of math mode reduced around its microkernels. A block of rows is gathered and rounded to bf16, so that a convolution's
// taps lie side by side, or it is read in place where the whole input was rounded before (TileJob::rounded); then each panel passes over
// all tiles of the block, some blocks of k at a time, which stay in L1.
// Files of sets define before it, in the set's namespace:
//   kReducedRows             rows of a tile at most
//   kWholeTiles              tiles are computed with all of their rows, be they there or not
//   kPlace                   of four numbers along k, where they lie in two words: 2 * word + 1 if it is the upper half
//   LeftNumber               of what a gathered left side consists
//   put_left(row, at, src, step, count)   writes numbers k = at... of a gathered row
//   put_pairs(upper, lower, n, to)        writes n words of a panel: two rows of k
//   pack_turned_block(from, column_stride, n, width, to)   packs a block of k of a vector of n columns, each of which lies side by side
//   tile_function(vectors, rows), which takes a SumCall of reduced_call.inl.h
//   JobState                 lives as long as a job
//   FlushedDenormals         while one lives, binary32 operations flush denormals (or the microkernel does so itself)
#pragma once

#include <cstdint>

#include "core/base/checked.h"
#include "core/base/cpu.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/simd/set.h"
#include "core/kernels/tiles/reduced_call.inl.h"
#include "core/kernels/tiles/tile_engine.h"
// With what reduced_call.inl.h defines.
#include "core/kernels/tiles/tile_rows.inl.h"

namespace anydim::ANYDIM_ISA {
namespace {

// Blocks of k that a panel keeps in L1: 16 kB of 32 columns.
constexpr int32_t kBlocksAtOnce = 8;
constexpr int64_t kGatheredRows = 240;

// From row to row of the gathered left side, in numbers: an odd number of blocks, so that rows do not crowd into a few sets of L1.
constexpr int64_t left_stride(int64_t blocks) noexcept { return (blocks | 1) * kReducedBlock; }

// Rows that are gathered at a time: half of L2, whole tiles.
int64_t rows_at_once(int64_t k) noexcept {
  const int64_t bytes = left_stride(reduced_k(k) / kReducedBlock) * static_cast<int64_t>(sizeof(LeftNumber));
  const int64_t rows = bytes > 0 ? cpu().l2 / 2 / bytes : kGatheredRows;
  return (rows < kReducedRows ? kReducedRows : rows > kGatheredRows ? kGatheredRows : rows) / kReducedRows * kReducedRows;
}

int64_t list_bytes(int64_t k) noexcept {
  return (reduced_k(k) / kReducedBlock * static_cast<int64_t>(sizeof(SummedBlock)) + 63) & ~INT64_C(63);
}
int64_t scratch_bytes(int64_t k) noexcept {
  const int64_t row = saturating_mul(left_stride(reduced_k(k) / kReducedBlock), sizeof(LeftNumber));
  return saturating_add(list_bytes(k), saturating_mul(rows_at_once(k), row));
}

// The blocks of k that have a tap inside, in order. Returns how many; *whole: all of their k do, and there is no k behind the last.
int32_t list_blocks(const TileJob& job, SummedBlock* blocks, bool* whole) {
  int32_t count = 0;
  int64_t there = 0;
  for (const KSegment* s = job.segments; s != job.segments + job.segment_count; ++s) {
    there += s->count;
    for (int64_t k = s->k; k < s->k + s->count; k = (k / kReducedBlock + 1) * kReducedBlock) {
      const int64_t id = k / kReducedBlock;
      if (count > 0 && blocks[count - 1].id == id) continue;
      blocks[count] = {job.rounded ? s->src + (k - s->k) : count * kReducedBlock, static_cast<int32_t>(id)};
      ++count;
    }
  }
  *whole = there == count * kReducedBlock;
  return count;
}

// Rounds the rows of a block into `left`, whose rows hold `count` blocks of k: what is outside becomes 0.
void gather_left(const TileJob& job, const RowBlock& block, int32_t count, bool whole, LeftNumber* left) {
  const int64_t stride = left_stride(count);
  if (!whole) __builtin_memset(left, 0, static_cast<size_t>(block.rows * stride) * sizeof(LeftNumber));
  for (int32_t r = 0; r < block.rows; ++r) {
    int64_t slot = -1, last = -1;
    for (const KSegment* s = job.segments; s != job.segments + job.segment_count; ++s) {
      if (s->count == 0) continue;
      // Segments that go on where the last one ended are one.
      const KSegment* const from = s;
      int64_t count = s->count;
      for (; job.k_step == 1 && s + 1 != job.segments + job.segment_count && s[1].src == from->src + count && s[1].k == from->k + count;
           ++s)
        count += s[1].count;
      const int64_t first = from->k / kReducedBlock, end = (from->k + count - 1) / kReducedBlock;
      if (first != last) ++slot;
      put_left(left + r * stride, slot * kReducedBlock + from->k % kReducedBlock, block.src[r] + from->src, job.k_step, count);
      slot += end - first;
      last = end;
    }
  }
}

// What most layers do behind their sums: a bias, a tensor of the result's shape, relu.
struct SimpleChain {
  // More floats than caches keep: lines are fetched while their sums are made (ResNet-50, one thread: 29.5 to 28.5 ms).
  static constexpr int64_t kFar = 1 << 18;
  bool simple, adds = false, relu = false, far = false;
  explicit SimpleChain(const TileJob& job) : simple(job.dst_column_step == 1 && job.dst_columns == nullptr) {
    const EpilogueProgram& p = *job.program;
    for (int i = 0; i < p.count; ++i) {
      const EpilogueStep& s = p.steps[i];
      if (s.kind == PostOp::Kind::unary && s.unary == UnaryFunction::relu) relu = true;
      else if (s.kind == PostOp::Kind::binary && s.binary == BinaryFunction::add && s.scale == 1.f && !adds && !relu &&
               p.walks[s.operand].by_row && p.walks[s.operand].column_step == 1 && p.walks[s.operand].columns == nullptr)
        adds = true;
      else simple = false;
    }
    far = job.dst_column_step == 1 && job.dst_columns == nullptr &&
          (job.row_end - job.row_begin) * job.columns * (1 + p.operand_count) > kFar;
  }
};

alignas(64) constexpr float kNoBias[2 * kW] = {};

// A block of rows on one panel.
struct PanelCall {
  const TileJob& job;
  const RowBlock& block;
  const LeftNumber* const* rows;
  const SummedBlock* blocks;
  int32_t count;
  SimpleChain chain;
  int64_t column;
  TileWidth width;
  float* sums;
  // Zeros instead of none: at the end 0 is added, so that no zero has a sign. (No bias is -0.)
  const float* bias() const { return job.bias != nullptr ? job.bias + column : kNoBias; }
  // Of a tile that begins at row `at`. Those that are written whole lie apart.
  float* sums_of(int32_t tile, int32_t at) const { return sums + (kWholeTiles ? tile * kReducedRows : at) * width.vectors * kW; }
};

// The tiles of a block of rows, as equal as they can be: a tile of a row or two takes nearly as long as a whole one.
struct RowTiles {
  int32_t count, low, high;  // the first `high` have a row more than `low`
  explicit RowTiles(int32_t rows) : count((rows + kReducedRows - 1) / kReducedRows), low(rows / count), high(rows % count) {}
  int32_t begin(int32_t tile) const { return tile * low + (tile < high ? tile : high); }
};

// Sums of some tiles over some blocks of k.
void sum_tiles(const PanelCall& p, SumCall* call, const RowTiles& tiles, int32_t tile, int32_t end) {
  [[maybe_unused]] const FlushedDenormals flushed;
  for (; tile < end; ++tile) {
    const int32_t at = tiles.begin(tile);
    call->rows = p.rows + at;
    call->sums = p.sums_of(tile, at);
    tile_function(p.width.vectors, tiles.begin(tile + 1) - at)(*call);
  }
}

template <bool ADDS, bool RELU, int NV>
void finish_simply(const PanelCall& p, const float* sums, int32_t rows, float* const* dst, const float* const* operand) {
  F32 bias[NV];
  for (int j = 0; j < NV; ++j) bias[j] = F32::load(p.bias() + j * kW);
  const auto last = static_cast<int>(p.width.columns - (NV - 1) * kW);  // columns of the last vector
  for (int32_t r = 0; r < rows; ++r, sums += NV * kW) {
    F32 x[NV];
    for (int j = 0; j < NV; ++j) x[j] = F32::load(sums + j * kW) + bias[j];
    if constexpr (ADDS) {
      const float* const from = operand[r];
      for (int j = 0; j < NV - 1; ++j) x[j] = x[j] + F32::load(from + j * kW);
      x[NV - 1] = x[NV - 1] + (last == kW ? F32::load(from + (NV - 1) * kW) : F32::load_partial(from + (NV - 1) * kW, last));
    }
    if constexpr (RELU)
      for (int j = 0; j < NV; ++j) x[j] = relu(x[j]);
    float* const to = dst[r];
    for (int j = 0; j < NV - 1; ++j) x[j].store(to + j * kW);
    if (last == kW) x[NV - 1].store(to + (NV - 1) * kW);
    else x[NV - 1].store_partial(to + (NV - 1) * kW, last);
  }
}
template <int NV> void finish_simply(const PanelCall& p, const float* sums, int32_t rows, float* const* dst, const float* const* operand) {
  const auto finish = p.chain.adds ? (p.chain.relu ? finish_simply<true, true, NV> : finish_simply<true, false, NV>)
                                   : (p.chain.relu ? finish_simply<false, true, NV> : finish_simply<false, false, NV>);
  finish(p, sums, rows, dst, operand);
}

// Bias, post-ops and stores of rows from `at` on.
void finish_rows(const PanelCall& p, float* sums, int32_t at, int32_t rows) {
  const TileJob& job = p.job;
  float* dst[kMaxEpilogueRows];
  for (int32_t i = 0; i < rows; ++i) dst[i] = p.block.dst[at + i] + p.column * job.dst_column_step;
  const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
  if (p.chain.simple) {
    if (p.chain.adds) fill_operands(job, p.block, at, rows, p.column, operands);
    return (p.width.vectors == 1 ? finish_simply<1> : finish_simply<2>)(p, sums, rows, dst, operands[0]);
  }
  fetch_operands(job, p.block, at, rows, p.column, p.width.columns, operands);
  finish_tile(job, sums, p.width, rows, dst, p.bias(), operands);
}

// The lines of rows from `at` on that finish_rows() will read and write.
void fetch_lines(const PanelCall& p, int32_t at, int32_t rows) {
  const int64_t columns = p.width.columns;
  for (int32_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < columns; j += 16) __builtin_prefetch(p.block.dst[at + r] + p.column + j, 1, 3);
  const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
  fill_operands(p.job, p.block, at, rows, p.column, operands);
  for (int o = 0; o < p.job.program->operand_count; ++o) {
    const OperandWalk& walk = p.job.program->walks[o];
    if (!walk.by_row || walk.column_step != 1 || walk.columns != nullptr) continue;
    for (int32_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < columns; j += 16) __builtin_prefetch(operands[o][r] + j, 0, 2);
  }
}

// Some blocks of k at a time, over all rows; behind the last ones rows are finished while their sums are in L1.
void run_panel(const PanelCall& p) {
  constexpr int32_t kTilesAtOnce = kWholeTiles ? 1 : 4;
  static_assert(kTilesAtOnce * kReducedRows <= kMaxEpilogueRows && kGatheredRows % kReducedRows == 0);
  SumCall call;
  call.apart = left_stride(p.count);
  call.panel = reinterpret_cast<const uint32_t*>(p.job.panels + p.column * reduced_k(p.job.k) / 2);
  const int32_t rows = p.block.rows;
  const RowTiles tiles(rows);
  for (int32_t first = 0; first == 0 || first < p.count; first += kBlocksAtOnce) {
    call.first = first == 0;
    call.blocks = p.blocks + first;
    call.count = p.count - first < kBlocksAtOnce ? p.count - first : kBlocksAtOnce;
    const bool last = first + kBlocksAtOnce >= p.count;
    // While the tiles pass over these blocks, the next ones come into L2: they lie behind them, in this panel or the next. A few rows pass
    // too fast for that.
    const int64_t block_bytes = kReducedBlock * p.width.vectors * kW * 2, fetched = rows > 2 * kReducedRows ? call.count * block_bytes : 0;
    const char* const next =
        reinterpret_cast<const char*>(call.panel) + (call.count > 0 ? call.blocks[0].id + call.count : 0) * block_bytes;
    for (int32_t tile = 0; tile < tiles.count; tile += kTilesAtOnce) {
      const int32_t end = tile + kTilesAtOnce < tiles.count ? tile + kTilesAtOnce : tiles.count;
      const int32_t at = tiles.begin(tile), these = tiles.begin(end) - at;
      for (int64_t b = fetched * at / rows & -64; b < fetched * (at + these) / rows; b += 64) __builtin_prefetch(next + b, 0, 2);
      if (last && p.chain.far) fetch_lines(p, at, these);
      if (call.count > 0) sum_tiles(p, &call, tiles, tile, end);
      if (last) finish_rows(p, p.sums_of(tile, at), at, these);
    }
  }
}

void run_reduced(const TileJob& job) {
  [[maybe_unused]] const JobState state;
  auto* const blocks = static_cast<SummedBlock*>(job.scratch);
  auto* const left = reinterpret_cast<LeftNumber*>(static_cast<std::byte*>(job.scratch) + list_bytes(job.k));
  bool whole = false;
  const int32_t count = list_blocks(job, blocks, &whole);
  const int64_t at_once = rows_at_once(job.k);
  alignas(64) float sums[kGatheredRows * 2 * kW];
  if (count == 0) __builtin_memset(sums, 0, sizeof sums);
  const LeftNumber* row[kGatheredRows];
  const SimpleChain chain(job);
  RowBlock block;
  for (int64_t r = job.row_begin; r < job.row_end; r += at_once) {
    const auto rows = static_cast<int32_t>(job.row_end - r < at_once ? job.row_end - r : at_once);
    fill_rows(job, r, rows, &block);
    if (!job.rounded) gather_left(job, block, count, whole, left);
    for (int32_t i = 0; i < rows; ++i)
      row[i] = job.rounded ? reinterpret_cast<const LeftNumber*>(block.src[i]) : left + i * left_stride(count);
    for (int64_t panel = job.panel_begin; panel < job.panel_end; ++panel)
      run_panel({job, block, row, blocks, count, chain, panel * 2 * kW, tile_width(job, panel, 1), sums});
  }
}

// Numbers in a row, for jobs whose rows are `rounded`.
[[maybe_unused]] void round_left(const float* src, int64_t step, int64_t count, void* to) {
  for (int64_t at = 0; at < count; at += kSumBlock)
    put_left(static_cast<LeftNumber*>(to), at, src + at * step, step, count - at < kSumBlock ? count - at : kSumBlock);
}

// Where the number of row k of a panel's first column lies, counted in numbers of 16 bits: rows come in groups of four, of which two words
// of each column are made.
constexpr int64_t place_in_panel(int64_t k, int64_t width) { return k / 4 * 4 * width + kPlace[k % 4] / 2 * 2 * width + kPlace[k % 4] % 2; }
// The row of a group of four that is the lower or upper half of a word.
constexpr int row_at(int place) {
  for (int k = 0; k < 4; ++k)
    if (kPlace[k] == place) return k;
  return 0;
}

constexpr int64_t reduced_least(int64_t a, int64_t b) { return a < b ? a : b; }

constexpr int64_t kColumnsAhead = 64, kRowsAhead = 32;

// A panel of a matrix that is packed.
struct PackedPanel {
  const float* from;  // its first column; at any address
  float* words;
  int64_t n, width;  // columns there are, and with the padding
};
PackedPanel packed_panel(const PackJob& job, int64_t p) {
  const int64_t column = p * 2 * kW, n = reduced_least(job.columns - column, 2 * kW);
  return {job.b + column * job.column_stride, job.panels + column * reduced_k(job.k) / 2, n, (n + kW - 1) / kW * kW};
}

// Rows [begin, end) of the job, a number at a time.
void pack_single(const PackJob& job, const PackedPanel& panel, int64_t begin, int64_t end) {
  auto* const numbers = reinterpret_cast<uint16_t*>(panel.words);
  // Columns far apart: some rows at a time, so that a cache line of a column is used whole.
  const int64_t step = job.column_stride == 1 ? 1 : 8;
  for (int64_t i0 = begin; i0 < end; i0 += step)
    for (int64_t j = 0; j < panel.n; ++j)
      for (int64_t i = i0; i < end && i < i0 + step; ++i) {
        float value;
        __builtin_memcpy(&value, panel.from + i * job.row_stride + j * job.column_stride, sizeof value);
        numbers[place_in_panel(job.first + i, panel.width) + 2 * j] = bf16_bits(value);
      }
}

void pack_reduced(const PackJob& job) {
  // Columns or rows that lie side by side are packed by vectors, some rows at a time: those from `begin` to `end`.
  const int64_t at_once = job.column_stride == 1 ? 4 : job.row_stride == 1 ? kReducedBlock : 0;
  int64_t begin = 0, end = 0;
  if (at_once > 0) {
    begin = reduced_least((job.first + at_once - 1) / at_once * at_once - job.first, job.rows);
    end = begin + (job.rows - begin) / at_once * at_once;
  }
  for (int64_t p = job.panel_begin; p < job.panel_end; ++p) {
    const PackedPanel panel = packed_panel(job, p);
    if (job.fresh) {
      const int64_t kept = panel.n < panel.width || job.first > 0 ? 0 : job.rows / 4 * 2;
      __builtin_memset(panel.words + kept * panel.width, 0, static_cast<size_t>((reduced_k(job.k) / 2 - kept) * panel.width) * 4);
    }
    pack_single(job, panel, 0, begin);
    pack_single(job, panel, end, job.rows);
    if (job.column_stride == 1) continue;
    for (int64_t vector = 0; vector < panel.width; vector += kW)
      for (int64_t i = begin; i < end; i += kReducedBlock) {
        const float* const from = panel.from + vector * job.column_stride + i;
        // The same of a later panel: columns lie apart, no processor guesses the next one's place.
        for (int64_t c = 0; c < kW; ++c)
          for (int64_t line = 0; line < kReducedBlock; line += 16)
            __builtin_prefetch(from + (c + kColumnsAhead) * job.column_stride + line, 0, 2);
        const int64_t n = reduced_least(panel.n - vector, kW);
        pack_turned_block(from, job.column_stride, n, panel.width, panel.words + (job.first + i) / 2 * panel.width + vector);
      }
  }
  if (job.column_stride != 1) return;
  // Rows are read as they lie.
  for (int64_t i = begin; i < end; i += 4)
    for (int64_t p = job.panel_begin; p < job.panel_end; ++p) {
      const PackedPanel panel = packed_panel(job, p);
      for (int64_t row = i + kRowsAhead; row < i + kRowsAhead + 4; ++row)
        for (int64_t line = 0; line < panel.n; line += 16) __builtin_prefetch(panel.from + row * job.row_stride + line, 0, 2);
      for (int64_t pair = 0; pair < 2; ++pair) {
        constexpr int kRowAt[4] = {row_at(0), row_at(1), row_at(2), row_at(3)};
        const float* const lower = panel.from + (i + kRowAt[2 * pair]) * job.row_stride;
        const float* const upper = panel.from + (i + kRowAt[2 * pair + 1]) * job.row_stride;
        put_pairs(upper, lower, panel.n, panel.words + ((job.first + i) / 2 + pair) * panel.width);
      }
    }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
