// SPDX-License-Identifier: Apache-2.0
// The element-wise operator of two inputs: y = function(a, b), dims broadcast by NumPy's rule.
// Comparisons answer boolean; the power takes an exponent of any dtype and answers the base's.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"
#include "core/ops/scalar_functions.h"

namespace anydim {

class Binary final : public Described<Binary, BinaryAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(BinaryFunction f) { return make(Attributes{f}); }

  BinaryFunction function() const noexcept { return at_.function; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

// The dtype of function(a, b), or DType::none if it is not defined on them.
DType binary_dtype(BinaryFunction f, DType a, DType b) noexcept;

}  // namespace anydim
