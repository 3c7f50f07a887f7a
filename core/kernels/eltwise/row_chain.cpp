// SPDX-License-Identifier: Apache-2.0
// A chain over whole tensors: a loop nest around the row function of an instruction set; see row_chain.h.
#include "core/kernels/eltwise/row_chain.h"

#include "core/kernels/eltwise/loop_nest.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/unary.h"

namespace anydim {

namespace {

// Enough that handing a task to another thread is small beside it.
constexpr int64_t kElementsPerTask = 16 << 10;

}  // namespace

RowChain chain_of(const Operator& op, const PostOps& post_ops) noexcept {
  RowChain chain;
  if (const Unary* u = as<Unary>(op)) {
    if (u->function() != UnaryFunction::identity)
      chain.append({PostOp::Kind::unary, u->function(), BinaryFunction::add, u->alpha(), u->beta()});
    chain.append(post_ops, 1);
  } else {
    chain.append({PostOp::Kind::binary, UnaryFunction::identity, as<Binary>(op)->function()}, 1);
    chain.append(post_ops, 2);
  }
  return chain;
}

void run_row_chain(EltwiseRows::Function* rows, const RowChain& chain, const TensorView& out, std::span<const TensorView> in,
                   std::span<const TensorView> post_in, const Parallel& parallel) noexcept {
  LoopNest nest;
  if (!make_loop_nest(out, in, post_in, &nest)) return;
  const float* data[kMaxOperands] = {out.as<float>()};
  int operands = 1;
  for (const TensorView& t : in) data[operands++] = t.as<float>();
  for (const TensorView& t : post_in) data[operands++] = t.as<float>();

  const int last = nest.rank - 1, second = nest.rank - 2;
  run_loop_nest(nest, parallel, kElementsPerTask, [&](const LoopBlock& at) {
    // Tensor i of the chain is operand i + 1 of the nest.
    const auto operand = [&](int i) {
      return RowOperand{data[i + 1] + at.offsets[i + 1], nest.strides[i + 1][second], nest.strides[i + 1][last]};
    };
    RowBlock block;
    block.out = out.as<float>() + at.offsets[0];
    block.out_row_stride = nest.strides[0][second];
    block.out_column_stride = nest.strides[0][last];
    block.first = operand(0);
    block.steps = chain.steps;
    block.count = chain.count;
    for (int i = 0; i < chain.count; ++i)
      if (chain.steps[i].takes_tensor()) block.operands[i] = operand(chain.tensor[i]);
    block.rows = at.rows;
    block.columns = at.columns;
    rows(block);
  });
}

}  // namespace anydim
