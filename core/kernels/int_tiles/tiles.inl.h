// SPDX-License-Identifier: Apache-2.0
// The integer engine for one instruction set: tiles of sums, and what follows the sums; rows.inl.h makes rows and panels. Files of sets
// define before it, in the set's namespace, a type Sums:
//   Sums::kVectors vectors of columns at once, Sums::kWidth columns each, kRows rows of a tile; zero(), load(p) of a panel, broadcast(p)
//   of a row, dot(acc, a, w) and store(p); Value, the type of a row's values; kShift, what an i8 of the left side is moved by;
// and the set's end of sums: finish_plain.inl.h, finish_avx2.inl.h or finish_avx512.inl.h.
// See engine.h for the design.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/int_tiles/finish.inl.h"
#include "core/kernels/int_tiles/rows.inl.h"
#include "core/kernels/int_tiles/sums.inl.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr auto run_epilogue = RunEpilogue::ANYDIM_ISA;

// --- packing of depthwise: a step is the same channel of kPerStep taps ------------------------------------------------------------

void pack_depthwise(const IntDepthwisePack& p) {
  const int64_t steps = (p.taps + kPerStep - 1) / kPerStep;
  for (int64_t n = 0; n < (p.channels + kIntColumns - 1) / kIntColumns * kIntColumns; ++n) {
    auto* const to = reinterpret_cast<Packed*>(p.panels) + n / kIntColumns * steps * kIntColumns * kPerStep;
    uint32_t total = 0;
    for (int64_t t = 0; t < steps * kPerStep; ++t) {
      int32_t v = 0;
      if (n < p.channels && t < p.taps) {
        const int64_t at = n * p.taps + t;
        v = p.dtype == DType::i8 ? reinterpret_cast<const int8_t*>(p.w)[at] : reinterpret_cast<const uint8_t*>(p.w)[at];
        if (p.zero != nullptr) v -= p.zero[n];
      }
      to[Sums::depthwise_place(t / kPerStep, n % kIntColumns, t % kPerStep)] = static_cast<Packed>(v);
      total += static_cast<uint32_t>(v);
    }
    p.sums[n] = static_cast<int32_t>(total);
  }
}

// --- sums -----------------------------------------------------------------------------------------------------------

inline void take_sums(const int32_t* const* rows_from, int32_t rows, int64_t panel, int64_t columns, int32_t* sums) {
  for (int32_t r = 0; r < rows; ++r) {
    const int32_t* const from = rows_from[r] + panel * kIntColumns;
    int32_t* const to = sums + r * kIntColumns;
    if (columns == kIntColumns)
      for (int j = 0; j < kIntColumns; ++j) to[j] = from[j];
    else
      for (int64_t j = 0; j < columns; ++j) to[j] = from[j];
  }
}

void make_sums(const IntBlock& b, int32_t at, int32_t rows, int64_t panel, int64_t columns, int32_t* sums) {
  if (b.from.kind == IntSource::Kind::sums) return take_sums(b.from.sums + at, rows, panel, columns, sums);
  const std::byte* from = b.panels + panel * b.steps * kIntColumns * kIntStepBytes;
  if (b.from.kind == IntSource::Kind::taps) {
    for (int32_t r = 0; r < rows; ++r) {
      const std::byte* const* taps = b.from.taps + (at + r) * b.steps * kPerStep;
      if (b.from.tap_dtype == DType::i8) Sums::depthwise<true>(taps, panel * kIntColumns, b.steps, from, columns, sums + r * kIntColumns);
      else Sums::depthwise<false>(taps, panel * kIntColumns, b.steps, from, columns, sums + r * kIntColumns);
    }
    return;
  }
  sums_of_panel(b, at, rows, from, columns, sums);
}

// --- what follows the sums ------------------------------------------------------------------------------------------

// Real numbers to whole ones; NaN gives 0.
template <class To> inline void to_whole(const IntBlock& b, int64_t column, const float* __restrict y, To* __restrict out) {
  constexpr bool kWide = std::is_same_v<To, int32_t>;
  constexpr float kLow = static_cast<float>(std::numeric_limits<To>::lowest());
  constexpr float kHigh = kWide ? 0x1.fffffep30f : static_cast<float>(std::numeric_limits<To>::max());
  const float* const scale = b.column.out_scale + column;
  const float* const zero = b.column.out_zero + column;
  if constexpr (sizeof(To) == 1 && kHasLinesOfBytes) return line_of_bytes(b.divides, scale, zero, y, out);
  alignas(64) float scaled[kIntColumns];
  if (b.divides) {
    for (int j = 0; j < kIntColumns; ++j) scaled[j] = y[j] / scale[j];
    y = scaled;
  }
  alignas(64) int32_t whole[kIntColumns];
  for (int j = 0; j < kIntColumns; ++j) {
    float r = __builtin_rintf(y[j]) + zero[j];
    const bool above = r > kHigh;
    r = r < kLow ? kLow : r;
    r = above ? kHigh : r;
    r = r != r ? 0.f : r;
    int32_t v = static_cast<int32_t>(r);
    if constexpr (kWide) v = above ? std::numeric_limits<int32_t>::max() : v;
    whole[j] = v;
  }
  for (int j = 0; j < kIntColumns; ++j) out[j] = static_cast<To>(whole[j]);
}

inline void store_real(const IntBlock& b, int32_t row, int64_t column, int64_t n, const float* y) {
  std::byte* const to = b.dst[row] + column * b.dst_column_step * (b.result == DType::f32 || b.result == DType::i32 ? 4 : 1);
  const auto whole = [&](auto tag) {
    alignas(64) decltype(tag) out[kIntColumns];
    to_whole(b, column, y, out);
    store_line(out, n, b.dst_column_step, to);
  };
  switch (b.result) {
    case DType::f32: store_line(y, n, b.dst_column_step, to); break;
    case DType::i8: whole(int8_t{}); break;
    case DType::u8: whole(uint8_t{}); break;
    default: whole(int32_t{}); break;
  }
}

__attribute__((noinline, noclone)) void finish(const IntBlock& b, int32_t at, int32_t rows, int64_t panel, int64_t columns, int32_t* sums) {
  const int64_t column = panel * kIntColumns;
  const EpilogueProgram& p = *b.program;
  const bool relu = is_relu(p);
  if (finish_in_registers(b, relu, at, rows, column, columns, sums)) return;
  if (b.exact) {
    for (int32_t r = 0; r < rows; ++r) {
      add_offsets(b, at + r, column, sums + r * kIntColumns);
      store_line(sums + r * kIntColumns, columns, b.dst_column_step, b.dst[at + r] + column * b.dst_column_step * 4);
    }
    return;
  }
  alignas(64) float real[kIntTileRows * kIntColumns];
  make_reals(b, relu, at, rows, column, columns, sums, real);
  const bool chain = !relu && p.count > 0;
  float* lines[kIntTileRows];
  for (int32_t r = 0; r < rows; ++r) lines[r] = real + r * kIntColumns;
  if (chain) {
    const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
    for (int o = 0; o < p.operand_count; ++o)
      for (int32_t r = 0; r < rows; ++r) operands[o][r] = b.operands[o][p.walks[o].by_row ? at + r : 0] + column * p.walks[o].column_step;
    EpilogueTile tile;
    tile.sums = real;
    tile.sums_step = kIntColumns;
    tile.rows = rows;
    tile.columns = static_cast<int32_t>(columns);
    tile.operands = operands;
    float* to[kIntTileRows];
    tile.dst = lines;
    if (b.result == DType::f32) {  // at once
      for (int32_t r = 0; r < rows; ++r) to[r] = reinterpret_cast<float*>(b.dst[at + r]) + column * b.dst_column_step;
      tile.dst = to;
      tile.dst_column_step = b.dst_column_step;
    }
    run_epilogue(p, tile);
    if (b.result == DType::f32) return;
  }
  for (int32_t r = 0; r < rows; ++r) store_real(b, at + r, column, columns, lines[r]);
}

inline void offsets_of_row(uint32_t zero, const int32_t* __restrict all, const int32_t* __restrict sum, int32_t* __restrict to) {
  for (int j = 0; j < kIntColumns; ++j) to[j] = static_cast<int32_t>(static_cast<uint32_t>(all[j]) - zero * static_cast<uint32_t>(sum[j]));
}
inline void scales_of_row(float scale, const float* __restrict all, float* __restrict to) {
  for (int j = 0; j < kIntColumns; ++j) to[j] = scale * all[j];
}
inline void repeat(float v, float* to) {
  for (int j = 0; j < kIntColumns; ++j) to[j] = v;
}

// Rows with factors of their own: each is a block of one row and one panel, whose columns are made of the row's and the columns'.
__attribute__((noinline)) void finish_by_row(const IntBlock& b, int32_t at, int32_t rows, int64_t panel, int64_t columns, int32_t* sums) {
  const int64_t column = panel * kIntColumns;
  const EpilogueProgram& p = *b.program;
  const IntColumns& all = b.column;
  const auto of_panel = [column](const auto* array) { return array != nullptr ? array + column : nullptr; };
  alignas(64) int32_t offset[kIntColumns];
  alignas(64) float scale[kIntColumns], out_scale[kIntColumns], out_zero[kIntColumns];
  IntBlock one = b;
  one.column = {of_panel(all.offset), of_panel(all.zero),      of_panel(all.scale),
                of_panel(all.bias),   of_panel(all.out_scale), of_panel(all.out_zero)};
  one.row = {};
  one.rows = 1;
  one.columns = columns;
  if (b.row.zero != nullptr) one.column.offset = offset;
  if (b.row.scale != nullptr) one.column.scale = scale;
  if (b.row.out_scale != nullptr) one.column.out_scale = out_scale;
  if (b.row.out_zero != nullptr) one.column.out_zero = out_zero;
  const int64_t result_step = b.dst_column_step * (b.result == DType::f32 || b.result == DType::i32 ? 4 : 1);
  std::byte* dst = nullptr;
  const float* operands[kMaxEpilogueOperands];
  one.dst = &dst;
  for (int o = 0; o < p.operand_count; ++o) one.operands[o] = operands + o;
  for (int32_t r = at; r < at + rows; ++r, sums += kIntColumns) {
    dst = b.dst[r] + column * result_step;
    for (int o = 0; o < p.operand_count; ++o) operands[o] = b.operands[o][p.walks[o].by_row ? r : 0] + column * p.walks[o].column_step;
    if (b.row_sums != nullptr) one.row_sums = b.row_sums + r;
    if (b.row.zero != nullptr) offsets_of_row(static_cast<uint32_t>(b.row.zero[r]), all.offset + column, all.sum + column, offset);
    if (b.row.scale != nullptr) scales_of_row(b.row.scale[r], all.scale + column, scale);
    if (b.row.out_scale != nullptr) repeat(b.row.out_scale[r], out_scale);
    if (b.row.out_zero != nullptr) repeat(b.row.out_zero[r], out_zero);
    finish(one, 0, 1, 0, columns, sums);
  }
}

void run_block(const IntBlock& b) {
  alignas(64) int32_t sums[kIntTileRows * kIntColumns];
  // What follows reads whole vectors, which products write.
  if (b.from.kind != IntSource::Kind::rows && b.columns % kIntColumns != 0) __builtin_memset(sums, 0, sizeof sums);
  static_assert(Sums::kRows <= kIntTileRows && kIntTileRows <= kMaxEpilogueRows);
  const int32_t tiles = (b.rows + Sums::kRows - 1) / Sums::kRows;
  const bool by_row = b.row.any();
  const int32_t low = b.rows / tiles, high = b.rows % tiles;  // the first `high` tiles have one row more
  const bool relu = is_relu(*b.program);
  for (int64_t panel = b.panel_begin; panel < b.panel_end; ++panel) {
    const int64_t left = b.columns - panel * kIntColumns, columns = left < kIntColumns ? left : kIntColumns;
    const TilesAtOnce at_once(b, relu, panel, columns);
    int32_t at = 0;
    for (int32_t t = 0; t < tiles; ++t) {
      const int32_t rows = low + (t < high);
      if (at_once.finish(at, rows, sums)) {
        at += rows;
        continue;
      }
      int32_t* of_rows = sums;
      if (b.from.kind == IntSource::Kind::panel) of_rows = b.from.panel + at * kIntColumns;
      else make_sums(b, at, rows, panel, columns, sums);
      if (by_row) finish_by_row(b, at, rows, panel, columns, of_rows);
      else finish(b, at, rows, panel, columns, of_rows);
      at += rows;
    }
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
