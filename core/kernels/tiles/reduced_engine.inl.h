// SPDX-License-Identifier: Apache-2.0
// The tile engine of math mode reduced around its microkernels. A block of rows is gathered and rounded to bf16, so that a convolution's
// taps lie side by side, or it is read in place where the whole input was rounded before (TileJob::rounded); then each panel passes over
// all tiles of the block, some blocks of k at a time, which stay in L1.
// Include it INSIDE the anonymous namespace of reduced_engine_<isa>.cpp, after the simd type F32, run_epilogue and:
//   kReducedRows             rows of a tile at most
//   LeftNumber               of what a gathered left side consists
//   put_left(row, at, src, step, count)   writes numbers k = at... of a gathered row
//   tile_function(vectors, rows), which takes a SumCall of reduced_call.inl.h
//   FlushedDenormals         while one lives, binary32 operations flush denormals (or the microkernel does so itself)

constexpr int kW = F32::kWidth;
constexpr int kMostRows = kMaxEpilogueRows;
constexpr bool kHasHalf = false;
inline void prefetch(const float* p) { __builtin_prefetch(p, 0, 3); }

#include "core/kernels/tiles/tile_rows.inl.h"

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
      const int64_t first = s->k / kReducedBlock, end = (s->k + s->count - 1) / kReducedBlock;
      if (first != last) ++slot;
      put_left(left + r * stride, slot * kReducedBlock + s->k % kReducedBlock, block.src[r] + s->src, job.k_step, s->count);
      slot += end - first;
      last = end;
    }
  }
}

// Sums of all rows of a block on one panel.
void sum_panel(const TileJob& job, const LeftNumber* const* rows, int32_t row_count, const SummedBlock* blocks, int32_t count,
               int64_t column, int vectors, float* sums) {
  [[maybe_unused]] const FlushedDenormals flushed;
  SumCall call;
  call.panel = reinterpret_cast<const uint32_t*>(job.panels + column * reduced_k(job.k) / 2);
  const int32_t tiles = (row_count + kReducedRows - 1) / kReducedRows, low = row_count / tiles, high = row_count % tiles;
  for (int32_t first = 0; first < count; first += kBlocksAtOnce) {
    call.first = first == 0;
    call.blocks = blocks + first;
    call.count = count - first < kBlocksAtOnce ? count - first : kBlocksAtOnce;
    // While the tiles pass over these blocks, the next ones come into L2: they lie behind them, in this panel or the next. A few rows pass
    // too fast for that.
    const int64_t bytes = call.count * kReducedBlock * vectors * kW * 2, fetched = tiles > 2 ? bytes : 0;
    const char* const next = reinterpret_cast<const char*>(call.panel) + (blocks[first].id + call.count) * (bytes / call.count);
    int32_t at = 0;
    for (int32_t t = 0; t < tiles; ++t) {
      for (int64_t b = fetched * t / tiles & -64; b < fetched * (t + 1) / tiles; b += 64) __builtin_prefetch(next + b, 0, 2);
      const int32_t tile_rows = low + (t < high);
      call.rows = rows + at;
      call.sums = sums + at * vectors * kW;
      tile_function(vectors, tile_rows)(call);
      at += tile_rows;
    }
  }
}

void run_reduced(const TileJob& job) {
  auto* const blocks = static_cast<SummedBlock*>(job.scratch);
  auto* const left = reinterpret_cast<LeftNumber*>(static_cast<std::byte*>(job.scratch) + list_bytes(job.k));
  bool whole = false;
  const int32_t count = list_blocks(job, blocks, &whole);
  const int64_t at_once = rows_at_once(job.k);
  alignas(64) float sums[kGatheredRows * 2 * kW];
  const LeftNumber* row[kGatheredRows];
  RowBlock block;
  for (int64_t r = job.row_begin; r < job.row_end; r += at_once) {
    const auto rows = static_cast<int32_t>(job.row_end - r < at_once ? job.row_end - r : at_once);
    fill_rows(job, r, rows, &block);
    if (!job.rounded) gather_left(job, block, count, whole, left);
    for (int32_t i = 0; i < rows; ++i)
      row[i] = job.rounded ? reinterpret_cast<const LeftNumber*>(block.src[i]) : left + i * left_stride(count);
    for (int64_t panel = job.panel_begin; panel < job.panel_end; ++panel) {
      const int64_t column = panel * 2 * kW;
      const TileWidth width = tile_width(job, panel, 1);
      if (count == 0) __builtin_memset(sums, 0, sizeof sums);
      else sum_panel(job, row, rows, blocks, count, column, width.vectors, sums);
      constexpr int32_t kFinishedRows = 24;
      for (int32_t at = 0; at < rows; at += kFinishedRows) {
        const int32_t finished = rows - at < kFinishedRows ? rows - at : kFinishedRows;
        float* dst[kFinishedRows];
        for (int32_t i = 0; i < finished; ++i) dst[i] = block.dst[at + i] + column * job.dst_column_step;
        const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
        fetch_operands(job, block, at, finished, column, width.columns, operands);
        finish_tile(job, sums + at * width.vectors * kW, width, finished, dst, job.bias ? job.bias + column : nullptr, operands);
      }
    }
  }
}

// Numbers in a row, for jobs whose rows are `rounded`.
void round_left(const float* src, int64_t step, int64_t count, void* to) {
  for (int64_t at = 0; at < count; at += kSumBlock)
    put_left(static_cast<LeftNumber*>(to), at, src + at * step, step, count - at < kSumBlock ? count - at : kSumBlock);
}

// Where the number of row k and column j of a panel lies, counted in numbers of 16 bits: rows come in groups of four, first a word for each
// column with rows 0 and 2, then one with rows 1 and 3, of which the earlier row is the upper half.
constexpr int64_t place_in_panel(int64_t k, int64_t width) { return k / 4 * 4 * width + k % 2 * 2 * width + (k % 4 < 2 ? 1 : 0); }

void pack_reduced(const PackJob& job) {
  for (int64_t p = job.panel_begin; p < job.panel_end; ++p) {
    const int64_t column = p * 2 * kW;
    int64_t n = job.columns - column;
    if (n > 2 * kW) n = 2 * kW;
    const int64_t width = (n + kW - 1) / kW * kW;
    auto* const panel = reinterpret_cast<uint16_t*>(job.panels + column * reduced_k(job.k) / 2);
    const float* const from = job.b + column * job.column_stride;  // at any address
    const auto put = [&](int64_t i, int64_t j) {
      float value;
      __builtin_memcpy(&value, from + i * job.row_stride + j * job.column_stride, sizeof value);
      panel[place_in_panel(job.first + i, width) + 2 * j] = bf16_bits(value);
    };
    // Columns far apart: some rows at a time, so that a cache line of a column is used whole.
    const int64_t step = job.column_stride == 1 ? 1 : 8;
    for (int64_t i0 = 0; i0 < job.rows; i0 += step)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = i0; i < job.rows && i < i0 + step; ++i) put(i, j);
  }
}
