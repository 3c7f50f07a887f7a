// SPDX-License-Identifier: Apache-2.0
// Expand: the input repeated to the dims that it and `dims` broadcast to (NumPy's rule, both ways, as ONNX has it).
#pragma once

#include "core/ops/op.h"

namespace anydim {

class Expand final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::expand;
  static Result<OperatorPtr> make(const SymDims& dims);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  std::span<const Dim> dim_attributes() const noexcept override { return {dims_.begin(), dims_.end()}; }
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override;
  void attributes(AttributeSink& sink) const override;

  const SymDims& dims() const noexcept { return dims_; }

 private:
  explicit Expand(const SymDims& dims) : dims_(dims) {}
  SymDims dims_;
};

}  // namespace anydim
