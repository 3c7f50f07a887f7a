// SPDX-License-Identifier: Apache-2.0
// OneHot: a new axis of `depth` elements, "on" where its position equals the index (negative from the end), "off"
// elsewhere and for indices out of range. Inputs: indices (any number type), values (off, on; the output's dtype).
#pragma once

#include "core/ops/op.h"

namespace anydim {

class OneHot final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::one_hot;
  static Result<OperatorPtr> make(int axis, Dim depth);  // axis of the output, normalised: 0..rank of indices

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  std::span<const Dim> dim_attributes() const noexcept override { return {&depth_, 1}; }
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override;
  void attributes(AttributeSink& sink) const override;

  int axis() const noexcept { return axis_; }

 private:
  OneHot(int axis, Dim depth) : axis_(axis), depth_(depth) {}
  int axis_;
  Dim depth_;
};

}  // namespace anydim
