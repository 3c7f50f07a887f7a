// SPDX-License-Identifier: Apache-2.0
// Matrix product with batch broadcasting (ONNX MatMul), optionally transposed and scaled (ONNX Gemm):
// y = alpha * op(a) op(b) + beta * c. Inputs: a ..., M, K; b ..., K, N; optional c that broadcasts to the output.
// Operands of rank 1 are a row (a) or a column (b) whose axis is dropped from the output.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class Matmul final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::matmul;

  struct Attributes {
    bool trans_a = false, trans_b = false;  // swap the last two axes of a, b (rank 2 and more)
    float alpha = 1.f, beta = 1.f;          // alpha other than 1, and c, are for floats only
  };
  static Result<OperatorPtr> make(const Attributes& attributes);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;
  const Attributes& get() const noexcept { return at_; }

  explicit Matmul(const Attributes& a) : at_(a) {}

 private:
  Attributes at_;
};

}  // namespace anydim
