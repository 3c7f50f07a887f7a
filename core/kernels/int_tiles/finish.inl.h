// SPDX-License-Identifier: Apache-2.0
// What every set's end of sums begins with: offsets, lines of a result, whether a chain is relu alone. The sets' own parts are
// finish_plain.inl.h, finish_avx2.inl.h and finish_avx512.inl.h, each with
//   finish_in_registers()  what most tiles end with, in one pass; false: not for this tile
//   make_reals()           sums to real numbers, before the post-ops but for relu; what lies beyond the columns may be anything
//   line_of_bytes()        kIntColumns real numbers to bytes, if kHasLinesOfBytes
//   TilesAtOnce            tiles of a panel whose sums need not go through memory, if there are any
#pragma once

#include <cstdint>

#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

inline void add_offsets(const IntBlock& b, int32_t row, int64_t column, int32_t* sums) {
  const int32_t* const offset = b.column.offset + column;
  for (int j = 0; j < kIntColumns; ++j) sums[j] = static_cast<int32_t>(static_cast<uint32_t>(sums[j]) + static_cast<uint32_t>(offset[j]));
  if (b.column.zero == nullptr) return;
  const int32_t* const zero = b.column.zero + column;
  const auto of_row = static_cast<uint32_t>(b.row_sums[row]);
  for (int j = 0; j < kIntColumns; ++j)
    sums[j] = static_cast<int32_t>(static_cast<uint32_t>(sums[j]) - static_cast<uint32_t>(zero[j]) * of_row);
}

template <class T> inline void store_line(const T* __restrict from, int64_t n, int64_t step, std::byte* to) {
  T* const t = reinterpret_cast<T*>(to);
  if (step == 1 && n == kIntColumns) __builtin_memcpy(t, from, kIntColumns * sizeof(T));  // no call
  else if (step == 1) __builtin_memcpy(t, from, static_cast<size_t>(n) * sizeof(T));
  else
    for (int64_t j = 0; j < n; ++j) t[j * step] = from[j];
}

bool is_relu(const EpilogueProgram& p) {
  return p.count == 1 && p.steps[0].kind == PostOp::Kind::unary && p.steps[0].unary == UnaryFunction::relu;
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
