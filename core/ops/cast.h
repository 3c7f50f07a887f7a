// SPDX-License-Identifier: Apache-2.0
// Conversion of elements to another dtype; rounding and saturation: docs/numerics.md, section 7.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class Cast final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::cast;
  static Result<OperatorPtr> make(DType to);

  DType to() const noexcept { return to_; }

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

 private:
  DType to_ = DType::f32;
};

}  // namespace anydim
