// SPDX-License-Identifier: Apache-2.0
// The element-wise operator of one input: y = function(x; alpha, beta), same dims.
// Which functions there are and what they compute: scalar_functions.h and docs/numerics.md.
#pragma once

#include "core/ops/op.h"
#include "core/ops/scalar_functions.h"

namespace anydim {

class Unary final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::unary;
  // Parameters that the function does not read are ignored (kept as 0, so that equal operators compare equal).
  static Result<OperatorPtr> make(UnaryFunction f, float alpha = 0.f, float beta = 0.f);

  UnaryFunction function() const noexcept { return function_; }
  float alpha() const noexcept { return alpha_; }
  float beta() const noexcept { return beta_; }

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

 private:
  UnaryFunction function_ = UnaryFunction::identity;
  float alpha_ = 0.f, beta_ = 0.f;
};

// The dtype of function(x) for x of dtype t, or DType::none if the function is not defined on t.
DType unary_dtype(UnaryFunction f, DType t) noexcept;

}  // namespace anydim
