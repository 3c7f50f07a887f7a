// SPDX-License-Identifier: Apache-2.0
// Bias and post-ops of a call as the bodies of depthwise kernels read them.
#pragma once

#include <span>

#include "core/kernels/depthwise/depthwise_job.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/epilogue/epilogue.h"
#include "core/kernels/kernel.h"

namespace anydim {

inline void pack_depthwise_bias(const TensorView& b, float* to) noexcept {
  const int64_t channels = b.dims[0], padded = round_up(channels, kDepthwisePadding);
  for (int64_t c = 0; c < padded; ++c) to[c] = c < channels ? read_unaligned(b.as<const float>() + c * b.strides[0]) : 0.f;
}

inline bool has_depthwise_bias(std::span<const TensorView> in) noexcept { return in.size() > 2 && in[2].dtype != DType::none; }

// The post-ops of a call, bound to a job that it outlives.
struct BoundDepthwiseEpilogue {
  Epilogue epilogue;
  EpilogueProgram program;

  BoundDepthwiseEpilogue(const Args& args, DepthwiseJob* j) noexcept {
    epilogue.append(*args.post_ops, args.post_in, args.out[0].dims);
    program.count = epilogue.count;
    program.operand_count = epilogue.operand_count;
    program.steps = epilogue.steps;
    for (int o = 0; o < epilogue.operand_count; ++o) {
      const Strides& s = epilogue.operands[o].strides;
      j->operand[o] = epilogue.operands[o].data;
      j->operand_n[o] = s[0];
      for (int i = 2; i < s.rank; ++i) j->operand_s[o][5 - s.rank + i - 2] = s[i];
      OperandWalk& walk = program.walks[o];
      walk.column_step = s[1];
      for (int i = 0; i < s.rank; ++i) walk.by_row = walk.by_row || (i != 1 && s[i] != 0);
    }
    j->program = &program;
  }
  BoundDepthwiseEpilogue(const BoundDepthwiseEpilogue&) = delete;  // it points into itself
  BoundDepthwiseEpilogue& operator=(const BoundDepthwiseEpilogue&) = delete;
};

}  // namespace anydim
