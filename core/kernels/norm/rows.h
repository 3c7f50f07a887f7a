// SPDX-License-Identifier: Apache-2.0
// What a normalisation kernel of an instruction set implements: softmax over part of a tensor, and layer norm of rows.
// Files of one instruction set include this header: plain data only.
#pragma once

#include "core/kernels/reduce/axes.h"

namespace anydim {

// height x width elements along two kept axes, each the start of its own softmax over one axis.
struct SoftmaxStrip {
  bool log;
  bool lanes;  // the axis is the last: the sum follows the lane rule, else the chain rule
  const float* in;
  float* out;
  int64_t width, in_stride, out_stride;
  int64_t height, in_pitch, out_pitch;
  int64_t count, in_step, out_step;  // the axis
};

// One row of `count` contiguous elements. scale and bias are contiguous, or null.
struct LayerNormRow {
  const float *in, *scale, *bias;
  float* out;
  int64_t count;
  float epsilon;
};

// Up to so many neighbours in memory, each the start of its own row along one axis, are a strip: channels of a channels-last image
// under instance normalisation. Arrays of one number per neighbour have room for all of them.
constexpr int64_t kStripWidth = 128;

// Positions [begin, end) of the rows, all of one block of the lane rule, are added to their lanes' sums, of which
// [first_lane, last_lane) are this call's. With a mean it is the squares of the differences from it.
struct LaneSums {
  const float *in, *mean;
  int64_t width, step;
  int64_t begin, end;
  int first_lane, last_lane;
  float* sums;  // [kReductionLanes][kStripWidth]
};

// The strip normalised. scale and bias are contiguous, one element per position of the row, or null.
struct LayerNormStrip {
  const float *in, *mean, *rstd, *scale, *bias;
  float* out;
  int64_t width, out_stride;
  int64_t count, in_step, out_step;  // the row
};

struct NormFunctions {
  void (*softmax)(const SoftmaxStrip&) noexcept;
  void (*layer_norm)(const LayerNormRow&) noexcept;
  void (*layer_norm_across)(const LayerNormStrip&) noexcept;
  void (*lane_sums)(const LaneSums&) noexcept;
  // total = the lanes' sum for the first block, total + it for the others.
  void (*close_block)(float* sums, int64_t width, bool first_block, float* total) noexcept;
  void (*to_mean)(float* total, int64_t width, int64_t count) noexcept;
  void (*to_rstd)(float* total, int64_t width, int64_t count, float epsilon) noexcept;
  static const NormFunctions avx512, avx2, portable;
};

}  // namespace anydim
