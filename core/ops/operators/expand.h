// SPDX-License-Identifier: Apache-2.0
// Expand: the input repeated to the dims that it and `dims` broadcast to (NumPy's rule, both ways, as ONNX has it).
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Expand final : public Described<Expand, ExpandAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(const SymDims& dims) { return make(Attributes{dims}); }

  const SymDims& dims() const noexcept { return at_.dims; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
