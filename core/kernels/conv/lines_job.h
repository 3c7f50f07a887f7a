// SPDX-License-Identifier: Apache-2.0
// A convolution into a few channels as plain numbers: what the driver (lines_x86.cpp) hands to the vector bodies of each instruction set.
#pragma once

#include <cstdint>

namespace anydim {

constexpr int64_t kMostLineChannels = 4;  // of the output
constexpr int64_t kLineVectors = 64;      // positions that lines of the copy have room for beyond the output's, at least

// Input rows [top, bottom) lie in `src` as [row][channel][line]: position x of the output meets line[x + tap * dilation].
struct LinesJob {
  const float* src = nullptr;
  const float* weights = nullptr;  // [tap][channel][kMostLineChannels]
  float bias[kMostLineChannels] = {};
  bool has_bias = false;
  int64_t channels = 0, outputs = 0;
  int64_t top = 0, bottom = 0;
  int64_t line = 0;  // floats of one
  int64_t in_width = 0;
  int64_t kernel[2], dilation[2], pad[2];  // y, x
  // Of the output, of one image: rows [begin, end).
  int64_t width = 0, begin = 0, end = 0;
  float* dst = nullptr;  // of row 0
  int64_t dst_c = 0, dst_y = 0, dst_x = 0;
};

void conv_lines_avx2(const LinesJob& job) noexcept;
void conv_lines_avx512(const LinesJob& job) noexcept;

}  // namespace anydim
