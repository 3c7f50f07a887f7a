// SPDX-License-Identifier: Apache-2.0
// What a kernel of an instruction set implements for moves by indices: a line of indices becomes places of the table, and the better of
// two lines of numbers stays.
#pragma once

#include <cstddef>
#include <cstdint>

namespace anydim {

// Steps and strides in elements. What is computed with an index before it is known to be one may wrap: it has no sign.
struct IndexLine {
  const std::byte* indices = nullptr;  // the first one
  bool wide = true;                    // they are i64, else i32
  int64_t step = 1;                    // to the next
  int64_t count = 0;
  int64_t bound = 0;             // they are -bound..bound-1
  uint64_t stride = 0;           // of the table, along the axis that they look up
  uint64_t first = 0, pace = 0;  // of the table, along the others: the first place, and from each to the next
  bool adds = false;             // to places that other coordinates have left, instead of `first` and `pace`
};

struct IndexSteps {
  // Fills in or adds to places[0..count); false if an index is out of range: the places are of no use then.
  bool (*find)(const IndexLine& line, int64_t* places) noexcept;
  // there[i] = the larger, or the smaller, of it and x[i], of n numbers of binary32.
  void (*largest)(float* there, const float* x, int64_t n) noexcept;
  void (*smallest)(float* there, const float* x, int64_t n) noexcept;
  static const IndexSteps avx512, avx2, portable;
};

}  // namespace anydim
