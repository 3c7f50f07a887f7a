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

// `width` neighbours in memory, each the start of its own row along one axis: the channels of a channels-last image under
// instance normalisation. scale and bias are contiguous, one element per position of the row, or null.
struct LayerNormStrip {
  const float *in, *scale, *bias;
  float* out;
  int64_t width, out_stride;
  int64_t count, in_step, out_step;  // the row
  float epsilon;
};

struct NormFunctions {
  void (*softmax)(const SoftmaxStrip&) noexcept;
  void (*layer_norm)(const LayerNormRow&) noexcept;
  void (*layer_norm_across)(const LayerNormStrip&) noexcept;
};
extern const NormFunctions kNormPortable, kNormAvx2, kNormAvx512;

}  // namespace anydim
