// SPDX-License-Identifier: Apache-2.0
// Products of rows that are rounded to 8 bits with numbers of 4 or 8 bits (docs/numerics.md, section 1): the machine behind
// rounded_rows.cpp. Plain data between the kernel class and one engine per instruction set.
//
// - The numbers lie in the panels of numbers_engine.h: words of 32 bits, one a column. The instructions multiply unsigned bytes of the
//   numbers with signed ones of a row: of 8 bits a word as it is, of 4 its low and its high halves, so a row's bytes lie in that order.
// - The sum over a block is exact and becomes a float; what follows is two operations of binary32 for each block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/compressed_matmul/numbers_engine.h"

namespace anydim {

constexpr int kMostRoundedRows = 6;         // of a tile
constexpr int64_t kMostRoundedBlock = 256;  // so that sums are exact in binary32

// Where the bytes of a word's numbers lie, of those of the word's elements of a row.
constexpr int place_in_word(NumberForm form, int i) noexcept { return form == NumberForm::bits4 ? i % 2 * 4 + i / 2 : i; }

// Some rows as bytes, one after the other.
struct RoundedRowSet {
  int8_t* bytes = nullptr;  // [rows][words * numbers of a word]
  int64_t bytes_step = 0;
  float* scales = nullptr;  // [rows][blocks]
  float* sums = nullptr;    // of the bytes of each block, [rows][blocks]
};

struct RoundRowJob {
  const float* from = nullptr;
  int64_t step = 1, k = 0, block = 1;
  NumberForm form = NumberForm::bits4;
  int8_t* bytes = nullptr;  // as many as words have numbers
  int64_t byte_count = 0;
  float *scales = nullptr, *sums = nullptr;
};

// Rows of a tile, up to kMostRoundedRows, times panel `panel`: sums [rows][columns of a panel].
struct RoundedTileJob {
  const NumberPanels* panels = nullptr;
  int64_t panel = 0;
  RoundedRowSet rows;  // from the first of the tile on
  int32_t count = 0;
  float* sums = nullptr;
};

struct RoundedRows {
  const TileEngine* tiles = nullptr;  // whose panels and epilogue these are
  int32_t tile_rows = 1;
  void (*round)(const RoundRowJob&) noexcept = nullptr;
  void (*tile)(const RoundedTileJob&) noexcept = nullptr;
  static const RoundedRows avx512_vnni, avx2, portable;
};

}  // namespace anydim
