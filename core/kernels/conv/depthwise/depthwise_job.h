// SPDX-License-Identifier: Apache-2.0
// One convolution of many small groups as plain numbers: what the driver (depthwise.cpp) hands to the vector bodies of each
// instruction set.
#pragma once

#include "core/kernels/epilogue/epilogue_tile.h"

namespace anydim {

// A block of sums of docs/numerics.md section 1.
constexpr int64_t kDepthwiseBlock = 128;
// Of the bodies over whole rows: all taps of an output are one chain, one block.
constexpr int64_t kMaxDepthwiseTaps = kDepthwiseBlock;
// Output pixels of a piece of a row where a window is longer.
constexpr int64_t kWindowPixels = 64;
// Channels of the packed weights are padded to this; the same for all instruction sets.
constexpr int64_t kDepthwisePadding = 16;

struct DepthwiseJob {
  const float* src = nullptr;
  float* dst = nullptr;
  const float* weights = nullptr;  // [tap][channel of the group][padded]
  const float* bias = nullptr;     // [padded], or null
  int64_t channels = 0;            // of the output
  int64_t padded = 0;
  int64_t multiplier = 1;                       // output channels per input channel
  int64_t group = 1;                            // channels of a group where they are as many in the output: 1, 2, 4 or 8
  int64_t src_n = 0, src_c = 0, src_s[3] = {};  // strides in elements; d, h, w
  int64_t dst_n = 0, dst_c = 0, dst_s[3] = {};
  int64_t in[3], out[3], kernel[3], stride[3], pad[3];
  int64_t dilation[3];  // below 0 in phases of a transposed convolution, whose taps go backwards

  // Of windows of several blocks: kernel position i of an axis is k_first + i * k_step of `whole`, by which taps are numbered.
  int64_t k_first[3] = {}, k_step[3] = {1, 1, 1}, whole[3] = {};

  const EpilogueProgram* program = nullptr;
  const float* operand[kMaxEpilogueOperands] = {};
  int64_t operand_n[kMaxEpilogueOperands] = {}, operand_s[kMaxEpilogueOperands][3] = {};
};

// Output rows [row_begin, row_end), a row being (n * out[0] + d) * out[1] + h, of channels [c_begin, c_end).
struct DepthwiseRows {
  using Function = void(const DepthwiseJob& job, int64_t row_begin, int64_t row_end, int64_t c_begin, int64_t c_end) noexcept;
  static Function avx512, avx2, portable;
};

// Rows [h0, h1) and columns [x0, x1), at most kWindowPixels, of one sample and depth, of the channels [c0, c1), at most
// kDepthwisePadding.
struct DepthwisePart {
  int64_t n, d, h0, h1, x0, x1, c0, c1;
};
// Of windows of more than a block. Sources and weights are those of channel c0, kDepthwisePadding floats a position and a tap.
struct DepthwiseWindow {
  using Function = void(const DepthwiseJob& job, const DepthwisePart& part) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
