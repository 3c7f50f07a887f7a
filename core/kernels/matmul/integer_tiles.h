// SPDX-License-Identifier: Apache-2.0
// What the product of integers needs of an instruction set, on elements of 32 and of 64 bits. Includes nothing that leaves symbols
// behind.
#pragma once

#include <cstdint>

namespace anydim {

constexpr int64_t kIntegerPanel = 128;  // bytes side by side: columns of a tile

// The sums of `rows` rows and a panel's columns, over k; those that `totals` has are continued unless `first`.
struct IntegerTile {
  const void* const* a;  // a row's first element
  int64_t a_step;        // along k, in elements
  const void* b;         // a panel's elements side by side for each k
  int64_t b_step;
  int64_t k, rows;
  void* totals;  // [rows, panel]
  bool first;
};

struct IntegerTiles {
  void (*tile[2])(const IntegerTile& t) noexcept;                        // of 32 bits, of 64
  uint64_t (*dot[2])(const void* a, const void* b, int64_t k) noexcept;  // of elements side by side
  static const IntegerTiles avx512, avx2, portable;
};

}  // namespace anydim
