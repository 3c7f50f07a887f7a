// SPDX-License-Identifier: Apache-2.0
// Post-op chains made for one execution: tensors bound, strides broadcast to the output. What a kernel hands on to
// the interpreter of tiles is in epilogue_tile.h.
#pragma once

#include <span>

#include "core/kernels/epilogue/epilogue_tile.h"
#include "core/kernels/kernel.h"

namespace anydim {

// A post-op's tensor: its strides against the output's dims, 0 where it repeats.
struct EpilogueOperand {
  const float* data = nullptr;
  Strides strides;
};

// The chain of one execution, in output coordinates.
struct Epilogue {
  int32_t count = 0;
  int32_t operand_count = 0;
  EpilogueStep steps[kMaxEpilogueSteps];
  EpilogueOperand operands[kMaxEpilogueOperands];

  void append_unary(UnaryFunction f, float alpha, float beta) noexcept;
  void append_binary(BinaryFunction f, bool reversed, const float* data, const Strides& strides, float scale = 1.f) noexcept;
  // Appends a whole chain.
  void append(const PostOps& post_ops, std::span<const TensorView> post_in, const Dims& out) noexcept;
};

}  // namespace anydim
