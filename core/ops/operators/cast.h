// SPDX-License-Identifier: Apache-2.0
// Conversion of elements to another dtype; rounding and saturation: docs/numerics.md, section 7.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Cast final : public Described<Cast, CastAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(DType to) { return make(Attributes{.to = to}); }

  DType to() const noexcept { return at_.to; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
