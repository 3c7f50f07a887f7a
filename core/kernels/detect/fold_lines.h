// SPDX-License-Identifier: Apache-2.0
// What one tap adds to a part of an image, one function per instruction set. Includes nothing that leaves symbols behind.
#pragma once

#include <cstdint>

namespace anydim {

// `rows` lines of n floats: to[r * to_row + i * to_step] += from[r * from_row + i * from_step].
struct FoldLines {
  float* to;
  const float* from;
  int64_t rows, n;
  int64_t to_row, to_step, from_row, from_step;
};
struct AddFoldLines {
  using Function = void(const FoldLines& lines) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
