// SPDX-License-Identifier: Apache-2.0
// The element-wise operator of one input: y = function(x; alpha, beta), same dims.
// Which functions there are and what they compute: scalar_functions.h and docs/numerics.md.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"
#include "core/ops/scalar_functions.h"

namespace anydim {

class Unary final : public Described<Unary, UnaryAttributes> {
 public:
  using Described::Described;
  using Described::make;
  // Parameters that the function does not read are ignored (kept as 0, so that equal operators compare equal).
  static Result<OperatorPtr> make(UnaryFunction f, float alpha = 0.f, float beta = 0.f) { return make(Attributes{f, alpha, beta}); }
  static Status normalize(Attributes* a);

  UnaryFunction function() const noexcept { return at_.function; }
  float alpha() const noexcept { return at_.alpha; }
  float beta() const noexcept { return at_.beta; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

// The dtype of function(x) for x of dtype t, or DType::none if the function is not defined on t.
DType unary_dtype(UnaryFunction f, DType t) noexcept;

}  // namespace anydim
