// SPDX-License-Identifier: Apache-2.0
// Taps, bias and post-ops of a call as the bodies of depthwise kernels read them: packed when a primitive is made, or in a run's scratch.
#pragma once

#include <span>

#include "core/kernels/conv/depthwise/depthwise_job.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/epilogue/epilogue.h"
#include "core/kernels/kernel.h"

namespace anydim {

// The pieces of constant operands.
enum DepthwisePiece { kDepthwiseTaps, kDepthwiseBias };

inline void pack_depthwise_bias(const TensorView& b, float* to) noexcept {
  const int64_t channels = b.dims[0], padded = round_up(channels, kDepthwisePadding);
  for (int64_t c = 0; c < padded; ++c) to[c] = c < channels ? read_unaligned(b.as<const float>() + c * b.strides[0]) : 0.f;
}

inline bool has_depthwise_bias(std::span<const TensorView> in) noexcept { return in.size() > 2 && in[2].dtype != DType::none; }

// `floats` of taps and, where it is constant, the bias.
inline PackedForm depthwise_form(const Problem& p, const char* format, int64_t floats) noexcept {
  PackedForm form;
  form.format = format;
  form.operands = {1};
  form.add("taps", DType::f32, floats);
  if (p.is_constant(2)) {
    form.operands.add(2);
    form.add("bias", DType::f32, round_up(p.in[2].dims[0].number(), kDepthwisePadding));
  }
  return form;
}

// Bytes of scratch for `floats` of taps and a bias of so many channels, but for what is packed.
inline int64_t depthwise_scratch(int64_t floats, int64_t channels, bool taps_packed, bool no_bias) noexcept {
  return saturating_mul(saturating_add(taps_packed ? 0 : floats, no_bias ? 0 : round_up(channels, kDepthwisePadding)), 4);
}
inline int64_t depthwise_scratch(const Args& args, int64_t floats) noexcept {
  return depthwise_scratch(floats, args.out[0].dims[1], args.packs(1), args.packs(2) || !has_depthwise_bias(args.in));
}
// As much as any call of up to so many output channels needs.
inline int64_t depthwise_scratch(const Problem& p, int64_t channels, int64_t floats) noexcept {
  const bool bias = p.in.size() > 2 && p.in[2].dtype != DType::none;
  return depthwise_scratch(floats, channels, p.is_constant(1), !bias || (p.is_constant(1) && p.is_constant(2)));
}

// Sets the weights and the bias of a job; pack(to) writes taps that are not packed. Returns the scratch behind them.
template <class Pack> inline float* bind_depthwise_operands(const Args& args, int64_t floats, DepthwiseJob* j, Pack&& pack) noexcept {
  auto* scratch = static_cast<float*>(args.scratch);
  if (args.packs(1)) {
    j->weights = args.weights->piece<float>(kDepthwiseTaps);
  } else {
    pack(scratch);
    j->weights = scratch;
    scratch += floats;
  }
  if (args.packs(2)) {
    j->bias = args.weights->piece<float>(kDepthwiseBias);
  } else if (has_depthwise_bias(args.in)) {
    pack_depthwise_bias(args.in[2], scratch);
    j->bias = scratch;
    scratch += round_up(args.in[2].dims[0], kDepthwisePadding);
  }
  return scratch;
}

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
