// SPDX-License-Identifier: Apache-2.0
// The machine behind matmuls and convolutions of quantized values: exact sums of products in 32 bits, and what follows them. Plain data
// between the portable kernel classes, which know operators, and one engine per instruction set. Not for anybody outside quantized/.
//
// - Values of the left side are gathered into rows of 32-bit steps: four u8 (VNNI, AMX), or two of 16 bits where products of bytes
//   would saturate in pairs (AVX2, portable). i8 becomes u8 by adding 128, and so does its zero point. Where four u8 are a step, rows
//   that lie so in memory are read where they are.
// - The right side lies in panels of 32 columns, a step of each column side by side; the last step is filled with zeros. Where steps are
//   bytes it is i8: u8 becomes i8 by subtracting 128. The sum of each column lies beside the panels.
// - Zero points of constant weights are subtracted when they are packed as 16 bits, where w - zw fits; then zw is 0 in what follows.
// - sum of (a - za) * (w - zw) = sum of a * w - za * sum of w - zw * sum of a + k * za * zw, all modulo 2^32. The middle terms are one
//   number per column, made once for a run, and the third needs the sums of rows only where zw is not 0.
// - A tap outside the input is gathered as za and so contributes nothing.
// - Rows with scales or zero points of their own, za of each row: its term is computed for each tile of sums, from the columns' own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/cpu.h"
#include "core/kernels/epilogue/epilogue_tile.h"
#include "core/tensor/dtype.h"

namespace anydim {

constexpr int kIntColumns = 32;    // of a panel
constexpr int kIntStepBytes = 4;   // of a row, and of a column of a panel
constexpr int kIntBlockRows = 96;  // gathered together, at most
constexpr int kIntTileRows = 12;   // of a tile, at most

// What is one per column, for whole panels.
struct IntColumns {
  const int32_t* offset = nullptr;                        // added to the sums
  const int32_t* zero = nullptr;                          // the right side's zero points as packed; null: all are 0
  const float* scale = nullptr;                           // of the sums as floats
  const float* bias = nullptr;                            // or null
  const float *out_scale = nullptr, *out_zero = nullptr;  // of a result of whole numbers
  // Quotients of all columns are numbers between -2^30 and 2^30, by scales above 0, whatever the sums are.
  bool tame = false;
  // Or null. Tame, and quotients lie between -2^16 and 2^16: what a result is multiplied by instead of divided, where the product leaves no
  // doubt; see quick_value() of bytes_avx512.h. Of columns without a bias it is scale / out_scale, of others 1 / out_scale, times 2^14.
  const float* quick = nullptr;
  const float* centre = nullptr;   // with quick: (out_zero + 1/2) * 2^14 + 1
  bool out_zero_is_least = false;  // all zero points of the result are the least number of its dtype
  const int32_t* sum = nullptr;    // with IntRows::zero: what that is multiplied by, and then subtracted
};

// What is one per row; all null: one for all rows, and so one per column.
struct IntRows {
  const int32_t* zero = nullptr;                          // the left side's zero points, as gathered
  const float* scale = nullptr;                           // before the columns'
  const float *out_scale = nullptr, *out_zero = nullptr;  // instead of the columns'
  bool any() const noexcept { return zero != nullptr || scale != nullptr || out_scale != nullptr || out_zero != nullptr; }
  IntRows from(int64_t at) const noexcept {
    const auto moved = [at](const auto* array) { return array != nullptr ? array + at : nullptr; };
    return {moved(zero), moved(scale), moved(out_scale), moved(out_zero)};
  }
};

// What the sums of a block's rows are made of, or the sums themselves: one of these lists, with an entry for each row.
struct IntSource {
  enum class Kind : uint8_t {
    rows,   // a row's segments one after the other
    taps,   // of a depthwise convolution: the places of a row's taps at channel 0, `steps` steps of per_step taps; what lies beyond the
            // last tap counts with weights of 0. They are of dtype `tap_dtype`, as in memory
    sums,   // the sums of a row, at column 0; there are no panels then
    panel,  // those of one panel: of each row kIntColumns, side by side, which may be overwritten
  };
  Kind kind = Kind::rows;
  DType tap_dtype = DType::u8;
  union {
    const std::byte* const* rows = nullptr;
    const std::byte* const* taps;
    const int32_t* const* sums;
    int32_t* panel;
  };

  __attribute__((always_inline)) static IntSource of_rows(const std::byte* const* rows) noexcept {
    IntSource s;
    s.rows = rows;
    return s;
  }
  __attribute__((always_inline)) static IntSource of_taps(const std::byte* const* taps, DType dtype) noexcept {
    IntSource s;
    s.kind = Kind::taps;
    s.tap_dtype = dtype;
    s.taps = taps;
    return s;
  }
  __attribute__((always_inline)) static IntSource of_sums(const int32_t* const* sums) noexcept {
    IntSource s;
    s.kind = Kind::sums;
    s.sums = sums;
    return s;
  }
  __attribute__((always_inline)) static IntSource of_panel(int32_t* panel) noexcept {
    IntSource s;
    s.kind = Kind::panel;
    s.panel = panel;
    return s;
  }
};

// A block of rows times a range of panels.
struct IntBlock {
  int32_t rows = 0;
  IntSource from;
  int64_t segments = 1;               // of a row, of as many steps each
  const int32_t* row_sums = nullptr;  // per row; null: no column has a zero point
  int64_t steps = 0;                  // of a row
  const std::byte* panels = nullptr;
  int64_t columns = 0;  // of the whole matrix
  int64_t panel_begin = 0, panel_end = 0;
  IntColumns column;
  IntRows row;
  bool exact = false;    // the sums themselves are the result, of i32
  bool divides = false;  // by out_scale
  const EpilogueProgram* program = nullptr;
  const float* const* operands[kMaxEpilogueOperands] = {};  // per row, at column 0
  DType result = DType::f32;                                // f32, i8, u8 or i32
  std::byte* const* dst = nullptr;                          // per row, at column 0
  int64_t dst_column_step = 1;                              // elements
};

// Rows of a convolution or a product, as what an engine copies. Axes are d, h, w; a matmul is one tap of k channels.
struct IntGather {
  DType dtype = DType::u8;
  bool planar = false;  // k runs over channels, then taps; else over taps, then channels
  int64_t line = 1;     // planar: values that a line of kernel[2] taps has in a row; what fills it up counts with weights of 0
  int64_t channels = 0, channel_step = 1;
  int64_t kernel[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, in[3] = {1, 1, 1}, step[3] = {};
  int32_t outside = 0;  // the number that taps outside count as: za as packed
  int64_t steps = 0;
  bool sums = false;  // of rows are wanted: what fills up a line is 0
};
struct IntRow {
  const std::byte* base;  // where input position 0, 0, 0 of the row's batch item and group lies
  int64_t at[3];          // input position of its first tap
};

// Packs the channels of a depthwise convolution: channel n's tap t lies at n * taps + t. `zero`: per channel, subtracted; or null.
struct IntDepthwisePack {
  DType dtype = DType::i8;
  const std::byte* w = nullptr;
  int64_t taps = 0, channels = 0;
  const int32_t* zero = nullptr;
  std::byte* panels = nullptr;
  int32_t* sums = nullptr;
};

// Packs columns of w: column n's value k lies at n * column_step + (k / inner) * outer_step + k % inner * inner_step.
struct IntPack {
  DType dtype = DType::i8;
  const std::byte* w = nullptr;
  int64_t k = 0, columns = 0;
  int64_t column_step = 0, inner = 1, outer_step = 0, inner_step = 0;
  const int32_t* zero = nullptr;      // per column, subtracted where values are of 16 bits; or null
  int64_t line = 0, padded_line = 0;  // after each `line` values zeros fill up `padded_line`; 0: none
  int64_t panel_begin = 0, panel_end = 0;
  std::byte* panels = nullptr;
  int32_t* sums = nullptr;  // of the columns, as packed
};

struct IntEngine {
  int per_step = 4;     // values
  int32_t a_shift = 0;  // added to i8 of the left side
  int32_t w_shift = 0;  // subtracted from u8 of the right side
  void (*run)(const IntBlock&) = nullptr;
  void (*gather)(const IntGather&, const IntRow& row, std::byte* to) = nullptr;
  // `rows` rows of steps * kIntStepBytes bytes, whose first taps lie `stride` positions of the last axis apart; false: row by row.
  bool (*gather_lines)(const IntGather&, const IntRow& first, int64_t rows, int64_t stride, std::byte* to) = nullptr;
  void (*sum_rows)(const std::byte* const* rows, int32_t count, int64_t steps, int32_t* to) = nullptr;
  void (*pack)(const IntPack&) = nullptr;
  // Rows that are read where they are lie at even distances; others are gathered.
  bool even_rows = false;
  int64_t tile_rows = kIntTileRows, block_bytes = 48 << 10;  // blocks have multiples of so many rows, and about so many bytes

  int64_t steps(int64_t k) const noexcept { return (k + per_step - 1) / per_step; }
  static int64_t panels(int64_t columns) noexcept { return (columns + kIntColumns - 1) / kIntColumns; }
  static int64_t padded(int64_t columns) noexcept { return panels(columns) * kIntColumns; }
  int64_t panel_bytes(int64_t k) const noexcept { return steps(k) * kIntColumns * kIntStepBytes; }
  static const IntEngine amx, avx512_vnni, avx2_vnni, avx2, portable;
};

// Of sets whose engines take IntBlock::taps.
struct PackIntDepthwise {
  using Function = void(const IntDepthwisePack& p) noexcept;
  static Function avx512_vnni, avx2, portable;
};

// IntEngine::run of AMX, whose other functions are those of AVX-512 VNNI.
struct IntRunOfAmx {
  using Function = void(const IntBlock& b) noexcept;
  static Function amx;
};

}  // namespace anydim
