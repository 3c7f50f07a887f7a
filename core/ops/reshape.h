// SPDX-License-Identifier: Apache-2.0
// Reshape: the same elements in logical row-major order under other dims. The dims are complete: whoever makes the
// operator has resolved ONNX's 0 and -1. Squeeze, Unsqueeze and Flatten are this operator too.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class Reshape final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::reshape;
  static Result<OperatorPtr> make(const SymDims& dims);

  // ONNX's target with its 0 (copy the input's dim, unless allow_zero) and -1 (what is left) resolved.
  static Status resolve(DimPool& pool, const SymDims& in, std::span<const Dim> target, bool allow_zero, SymDims* out);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  std::span<const Dim> dim_attributes() const noexcept override { return {dims_.begin(), dims_.end()}; }
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override;
  void attributes(AttributeSink& sink) const override;

  const SymDims& dims() const noexcept { return dims_; }

 private:
  explicit Reshape(const SymDims& dims) : dims_(dims) {}
  SymDims dims_;
};

}  // namespace anydim
