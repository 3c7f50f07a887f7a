// SPDX-License-Identifier: Apache-2.0
// Binding post-op chains to tensors; see epilogue.h.
#include "core/kernels/epilogue/epilogue.h"

#include "core/tensor/views.h"

namespace anydim {

void Epilogue::append_unary(UnaryFunction f, float alpha, float beta) noexcept {
  EpilogueStep& s = steps[count++];
  s = {};
  s.unary = f;
  s.alpha = alpha;
  s.beta = beta;
}

void Epilogue::append_binary(BinaryFunction f, bool reversed, const float* data, const Strides& strides, float scale) noexcept {
  EpilogueStep& s = steps[count++];
  s = {};
  s.kind = reversed ? PostOp::Kind::binary_reversed : PostOp::Kind::binary;
  s.binary = f;
  s.scale = scale;
  s.operand = operand_count;
  EpilogueOperand& o = operands[operand_count++];
  o.data = data;
  o.strides = strides;
}

void Epilogue::append(const PostOps& post_ops, std::span<const TensorView> post_in, const Dims& out) noexcept {
  size_t next = 0;
  for (const PostOp& p : post_ops) {
    if (p.takes_tensor()) {
      const TensorView& t = post_in[next++];
      append_binary(p.binary, p.kind == PostOp::Kind::binary_reversed, t.as<const float>(), broadcast_strides(t, out));
    } else if (p.unary != UnaryFunction::identity) {
      append_unary(p.unary, p.alpha, p.beta);
    }
  }
}

}  // namespace anydim
