// SPDX-License-Identifier: Apache-2.0
// A convolution into a few channels, or one phase of a transposed one, as plain numbers: what the driver (lines.cpp) hands to the
// vector bodies of each instruction set.
#pragma once

#include <cstdint>

#include "core/kernels/conv/phase_taps.h"

namespace anydim {

constexpr int64_t kMostLineChannels = 4;  // of the output
constexpr int64_t kLineVectors = 64;      // positions that lines of the copy have room for beyond the output's, at least

// Input rows [top, bottom) lie in `src` as [row][channel][line], where line[i] is column i + first_column.
struct LinesJob {
  const float* src = nullptr;
  const float* weights = nullptr;  // [tap][channel][kMostLineChannels]
  float bias[kMostLineChannels] = {};
  bool has_bias = false;
  int64_t channels = 0, outputs = 0;
  int64_t top = 0, bottom = 0;
  int64_t line = 0;  // floats of one
  int64_t first_column = 0;
  int64_t in_width = 0;
  PhaseTaps taps[2];         // y, x
  int64_t kernel_width = 1;  // of all kernel positions, by which they are numbered
  // Of the output (of one phase), of one image: rows [begin, end).
  int64_t width = 0, begin = 0, end = 0;
  float* dst = nullptr;  // of row 0
  int64_t dst_c = 0, dst_y = 0, dst_x = 0;
};

struct ConvLines {
  using Function = void(const LinesJob& job) noexcept;
  static Function avx512, avx2;
};

}  // namespace anydim
