// SPDX-License-Identifier: Apache-2.0
// What running sums and products need of an instruction set: lines that lie side by side. Includes nothing that leaves symbols behind.
#pragma once

#include <cstdint>

#include "core/tensor/dtype.h"

namespace anydim {

constexpr int64_t kRunningColumns = 16;  // bytes: how many lines go together at least

// `count` rows of `bytes` bytes, a multiple of kRunningColumns: each is added to `sums` (or multiplied), and they are stored before
// (exclusive) or after that.
struct RunningRows {
  const void* in;
  void* out;
  void* sums;
  int64_t bytes, count, in_step, out_step;  // steps in bytes
  bool exclusive;
};

// Of f32, f64 and integers of 32 and 64 bits; null of others.
using RunningFunction = void (*)(const RunningRows& rows) noexcept;
struct RunningRowsOf {
  using Function = RunningFunction(bool product, DType dtype) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
