// SPDX-License-Identifier: Apache-2.0
// The element-wise operator of two inputs: y = function(a, b), dims broadcast by NumPy's rule.
// Comparisons answer boolean; the power takes an exponent of any dtype and answers the base's.
#pragma once

#include "core/ops/op.h"
#include "core/ops/scalar_functions.h"

namespace anydim {

class Binary final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::binary;
  static Result<OperatorPtr> make(BinaryFunction f);

  BinaryFunction function() const noexcept { return function_; }

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

 private:
  BinaryFunction function_ = BinaryFunction::add;
};

// The dtype of function(a, b), or DType::none if it is not defined on them.
DType binary_dtype(BinaryFunction f, DType a, DType b) noexcept;

}  // namespace anydim
