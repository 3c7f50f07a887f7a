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

void Epilogue::append_binary(BinaryFunction f, bool reversed, const TensorView& t, const Dims& out) noexcept {
  EpilogueStep& s = steps[count++];
  s = {};
  s.kind = reversed ? PostOp::Kind::binary_reversed : PostOp::Kind::binary;
  s.binary = f;
  s.operand = operand_count;
  EpilogueOperand& o = operands[operand_count++];
  o.data = t.as<const float>();
  o.strides = broadcast_strides(t, out);
}

void Epilogue::append(const PostOps& post_ops, std::span<const TensorView> post_in, const Dims& out) noexcept {
  size_t next = 0;
  for (const PostOp& p : post_ops) {
    if (p.takes_tensor()) {
      append_binary(p.binary, p.kind == PostOp::Kind::binary_reversed, post_in[next++], out);
    } else if (p.unary != UnaryFunction::identity) {
      append_unary(p.unary, p.alpha, p.beta);
    }
  }
}

const char* epilogue_refusal(const PostOps& post_ops, std::span<const TensorType> post_in) noexcept {
  for (const TensorType& t : post_in)
    if (t.dtype != DType::f32 && t.dtype != DType::none) return "a post-op's tensor is not f32";
  for (const PostOp& p : post_ops) {
    if (p.takes_tensor()) {
      switch (p.binary) {
        case BinaryFunction::add:
        case BinaryFunction::sub:
        case BinaryFunction::mul:
        case BinaryFunction::div:
        case BinaryFunction::min:
        case BinaryFunction::max:
        case BinaryFunction::prelu:
        case BinaryFunction::pow: break;
        default: return "a binary post-op does not give f32 from f32 (only add, sub, mul, div, min, max, prelu, pow do)";
      }
    } else {
      switch (p.unary) {
        case UnaryFunction::logical_not:
        case UnaryFunction::bitwise_not:
        case UnaryFunction::is_nan:
        case UnaryFunction::is_inf: return "a unary post-op does not give f32 from f32";
        default: break;
      }
    }
  }
  return nullptr;
}

}  // namespace anydim
