// SPDX-License-Identifier: Apache-2.0
// A chain of element-wise steps over whole tensors, on the f32 machine of an instruction set (rows.h): what element-wise kernels
// are, and what normalisations end with.
#pragma once

#include "core/kernels/eltwise/rows.h"
#include "core/kernels/kernel.h"

namespace anydim {

struct RowChain {
  PostOp steps[kMaxRowSteps];
  int tensor[kMaxRowSteps] = {};  // which tensor a step reads; 0 is what the chain begins with
  int count = 0;

  void append(const PostOp& step, int reads = 0) noexcept {
    tensor[count] = reads;
    steps[count++] = step;
  }
  // The post-ops, whose tensors are numbered from `first` on.
  void append(const PostOps& post_ops, int first) noexcept {
    for (const PostOp& p : post_ops) append(p, p.takes_tensor() ? first++ : 0);
  }
};

// A unary or binary operator with its post-ops. Tensors: its inputs, then the post-ops'. An identity is no step.
RowChain chain_of(const Operator& op, const PostOps& post_ops) noexcept;

// out = the steps on in[0], element by element, over any strides; the tensors, `in` and then `post_in`, broadcast into `out`.
void run_row_chain(EltwiseRows::Function* rows, const RowChain& chain, const TensorView& out, std::span<const TensorView> in,
                   std::span<const TensorView> post_in, const Parallel& parallel) noexcept;

}  // namespace anydim
