// SPDX-License-Identifier: Apache-2.0
// One move by indices: elements of a list, in order, and the places of a table that indices name. Gather, GatherElements
// and GatherND take from the table, ScatterElements and ScatterND put into it; which axes play which part they say in
// by_index.cpp. How fast all of them are is decided here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/threads/threads.h"
#include "core/kernels/gather/index_lines.h"
#include "core/tensor/dims.h"

namespace anydim {

// An axis that is walked. Strides in elements, of any sign; 0: the side does not know the axis.
struct MoveAxis {
  int64_t dim = 1, table = 0, list = 0, index = 0;
  bool apart = true;  // different positions never meet in the table: threads may share them
};

// An axis of the table that is looked up.
struct Coordinate {
  int64_t bound = 0;   // its elements: indices are -bound..bound-1
  int64_t stride = 0;  // of the table
  int64_t offset = 0;  // where its first index lies in the tensor of indices
};

// Some picks of a move, resolved: what is done at the innermost loops. Inner strides belong to a slice of `length`.
struct MoveBlock {
  std::byte *table, *list;
  const int64_t* offsets;  // into the table, one per pick
  int64_t picks, list_step;
  int64_t length, table_inner, list_inner;
  void (*row)(float* there, const float* x, int64_t n) noexcept;  // of a slice side by side; null: none
};
using MoveFunction = void (*)(const MoveBlock&) noexcept;

struct IndexedMove {
  std::byte *table = nullptr, *list = nullptr;
  const std::byte* indices = nullptr;
  bool wide = true;      // indices are i64, else i32
  int64_t size = 4;      // bytes of an element
  bool puts = false;     // into the table, else out of it
  bool ordered = false;  // picks may meet, and are done in the order of their axes
  bool (*find)(const IndexLine& line, int64_t* places) noexcept = nullptr;
  void (*row)(float* there, const float* x, int64_t n) noexcept = nullptr;  // of MoveBlock
  MoveFunction function = nullptr;
  bool copies = true;  // the function copies bits

  int coordinates = 0, picks = 0, slice = 0;
  Coordinate coordinate[kMaxRank];
  MoveAxis pick_axes[kMaxRank];   // positions of indices, outermost first
  MoveAxis slice_axes[kMaxRank];  // what is moved at each of them

  void pick(const MoveAxis& a) noexcept {
    if (a.dim != 1) pick_axes[picks++] = a;
  }
  void across(const MoveAxis& a) noexcept {
    if (a.dim != 1) slice_axes[slice++] = a;
  }
};

// The copying functions, for elements of 1, 2, 4 or 8 bytes.
MoveFunction taking_function(int64_t size) noexcept;
MoveFunction putting_function(int64_t size) noexcept;

// False if an index is out of range; nothing outside the tensors is touched, and which places were written is open.
bool run_move(const IndexedMove& move, const Parallel& parallel) noexcept;

}  // namespace anydim
