// SPDX-License-Identifier: Apache-2.0
// ShapeTensor: integers known from shapes (dims and arithmetic on them) as a tensor; no inputs. It is what a graph
// puts where a model's shape arithmetic feeds a real operator or an output.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class ShapeTensor final : public Described<ShapeTensor, ShapeTensorAttributes> {
 public:
  using Described::Described;
  using Described::make;
  // A scalar (one value) or a vector, of any numeric dtype: values are converted as a cast from i64 would.
  static Result<OperatorPtr> make(std::vector<Dim> values, bool scalar, DType dtype = DType::i64) {
    return make(Attributes{dtype, scalar, std::move(values)});
  }
  static Status normalize(Attributes* a);

  bool is_scalar() const noexcept { return at_.scalar; }
  DType dtype() const noexcept { return at_.dtype; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
