// SPDX-License-Identifier: Apache-2.0
// One strided copy: a box of elements read with some strides and written with others. Every mover is one or several
// of these; how fast they are is decided here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/threads/threads.h"
#include "core/kernels/copy/copy_core.h"
#include "core/tensor/dims.h"

namespace anydim {

constexpr int kMaxCopyRank = 2 * kMaxRank;  // tile and depth to space split axes in two

// Strides in elements, of any sign; 0 in `src` repeats. The boxes do not overlap.
struct StridedCopy {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  int64_t size = 4;  // bytes of an element: 1, 2, 4 or 8
  int rank = 0;
  int64_t dims[kMaxCopyRank];
  int64_t src[kMaxCopyRank];
  int64_t dst[kMaxCopyRank];

  void axis(int64_t dim, int64_t src_stride, int64_t dst_stride) noexcept {
    dims[rank] = dim;
    src[rank] = src_stride;
    dst[rank++] = dst_stride;
  }
};

void run_copy(const StridedCopy& copy, const CopyCore& core, const Parallel& parallel) noexcept;

}  // namespace anydim
