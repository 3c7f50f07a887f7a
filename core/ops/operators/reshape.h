// SPDX-License-Identifier: Apache-2.0
// Reshape: the same elements in logical row-major order under other dims. The dims are complete: whoever makes the
// operator has resolved ONNX's 0 and -1. Squeeze, Unsqueeze and Flatten are this operator too.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Reshape final : public Described<Reshape, ReshapeAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(const SymDims& dims) { return make(Attributes{dims}); }

  // ONNX's target with its 0 (copy the input's dim, unless allow_zero) and -1 (what is left) resolved.
  static Status resolve(DimPool& pool, const SymDims& in, std::span<const Dim> target, bool allow_zero, SymDims* out);

  const SymDims& dims() const noexcept { return at_.dims; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
