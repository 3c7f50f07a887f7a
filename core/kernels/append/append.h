// SPDX-License-Identifier: Apache-2.0
// Kernels of append, best first, and where an update lies, which whoever undoes one asks, too (undo_journal.h).
#pragma once

#include <cstdint>

#include "core/kernels/kernel.h"
#include "core/ops/operators/append.h"

namespace anydim {

KernelList append_kernels() noexcept;

// One call's sizes along its axis.
struct AppendSizes {
  int64_t cached = 0;  // of the cache
  int64_t count = 0;   // of the update
  int64_t length = 0;  // of the result
  bool circular = false;
  const TensorView *starts = nullptr, *evictions = nullptr;
  int64_t first = 0;

  explicit AppendSizes(const Args& args) noexcept;
  // Where example b's update begins.
  int64_t start(int64_t example) const noexcept {
    return starts != nullptr ? starts->as<const int64_t>()[example * starts->strides[0]] : first;
  }
  // How many slices leave example b of a windowed cache, 0 else.
  int64_t evicted(int64_t example) const noexcept {
    if (evictions == nullptr) return 0;
    const int64_t n = evictions->as<const int64_t>()[example * evictions->strides[0]];
    return n < 0 ? 0 : n < cached ? n : cached;
  }
  // The slices of an update that begins at `start` that lie within a windowed cache.
  int64_t first_within(int64_t start) const noexcept { return start < 0 ? (-start < count ? -start : count) : 0; }
  int64_t last_within(int64_t start) const noexcept { return start >= length ? 0 : start < length - count ? count : length - start; }
  // Where slice i of an update that begins at `start` lies.
  int64_t place(int64_t start, int64_t i) const noexcept { return circular ? (start % length + length + i) % length : start + i; }
};

// Whether the result lies in the cache's memory, as the cache does.
bool appends_in_place(const Args& args) noexcept;
// Bytes of the update.
int64_t appended_bytes(const Args& args) noexcept;

// Slices [first, first + count) move to `to`, of one example where the axis is not the first: the places may overlap.
void move_slices(const TensorView& t, int axis, int64_t first, int64_t count, int64_t to, int64_t example,
                 const Parallel& parallel) noexcept;

// Slices [first, last) along an axis, of examples [example, example + examples) where the axis is not the first.
TensorView slices_of(const TensorView& t, int axis, int64_t first, int64_t last, int64_t example, int64_t examples) noexcept;
// Between tensors of the same dims that do not overlap, element by element in any strides.
void copy_slices(const TensorView& from, const TensorView& to, const Parallel& parallel) noexcept;

}  // namespace anydim
