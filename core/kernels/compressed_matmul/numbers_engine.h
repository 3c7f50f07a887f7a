// SPDX-License-Identifier: Apache-2.0
// The machine behind compressed matmul: numbers of 4, 8 or 16 bits in panels, widened to f32 in registers. Plain data between the portable
// kernel class, which knows operators, and one engine per instruction set. Not for anybody outside compressed/.
//
// - Panels are as wide as those of the tile engine of the same instruction set (two vectors), and hold all of k. Numbers of 4 and 8 bits
//   lie in words of 32 bits, one word a column: number i of a word is bits i * bits and following. So a vector of words is one load, and
//   each of its numbers costs a mask and a shift; columns lie in lanes, as the order of sums wants it. Signed numbers are held with 8 or 128
//   added, which the zero point takes away again. 16-bit floats lie side by side, a row of the panel after the other.
// - Few rows: each number is widened in registers and multiplied by all rows at hand. It is what memory gives that counts.
// - Many rows: a few panels are widened into a buffer that the second cache holds, and the tile engine multiplies from there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/epilogue/epilogue_tile.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim {

enum class NumberForm : uint8_t { bits4, bits8, f16, bf16 };
constexpr int kNumberForms = 4;

// Numbers of a word, or 1 for the floats.
constexpr int numbers_of_word(NumberForm f) noexcept { return f == NumberForm::bits4 ? 8 : f == NumberForm::bits8 ? 4 : 1; }
// Bytes of a column's word.
constexpr int word_bytes(NumberForm f) noexcept { return f == NumberForm::bits4 || f == NumberForm::bits8 ? 4 : 2; }

// A packed matrix. Scales and zero points of a panel lie block by block, one per column.
struct NumberPanels {
  NumberForm form = NumberForm::bits8;
  const std::byte* numbers = nullptr;
  const float* scales = nullptr;  // null: of floats
  const float* zeros = nullptr;   // as the numbers are held; null: `zero` for all
  float zero = 0;
  int64_t k = 0, columns = 0;
  int64_t block = 1;   // of k; a multiple of 8, or all
  int64_t blocks = 1;  // of a panel

  int64_t words() const noexcept { return (k + numbers_of_word(form) - 1) / numbers_of_word(form); }
};

constexpr int kFewRows = 8;

// Up to kFewRows rows times panels [panel_begin, panel_end).
struct FewRowsJob {
  const NumberPanels* panels = nullptr;
  int64_t panel_begin = 0, panel_end = 0;
  int32_t rows = 0;
  const float* a[kFewRows] = {};
  int64_t a_step = 1;
  float* dst[kFewRows] = {};  // at column 0
  int64_t dst_column_step = 1;
  const EpilogueProgram* program = nullptr;
  void (*epilogue)(const EpilogueProgram&, const EpilogueTile&) = nullptr;  // the tile engine's
  const float* operands[kMaxEpilogueOperands][kFewRows] = {};               // at column 0; [o][0] alone where the walk is not by row
};

// Panels [panel_begin, panel_end) as those of the tile engine, one after the other; `width` columns of the last one are written.
struct WidenJob {
  const NumberPanels* panels = nullptr;
  int64_t panel_begin = 0, panel_end = 0;
  int64_t last_width = 0;
  float* to = nullptr;
};

struct NumbersEngine {
  const TileEngine* tiles = nullptr;
  void (*few_rows)(const FewRowsJob&) = nullptr;
  void (*widen)(const WidenJob&) = nullptr;
  static const NumbersEngine avx512, avx2, portable;
};

}  // namespace anydim
