// SPDX-License-Identifier: Apache-2.0
// Gather: slices of the data (input 0) along one axis, picked by the indices (input 1, negative from the end).
// Output dims: data dims with the axis replaced by the indices' dims.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class Gather final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::gather;
  static Result<OperatorPtr> make(int axis);  // normalised: 0..rank-1

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

  int axis() const noexcept { return axis_; }

 private:
  explicit Gather(int axis) : axis_(axis) {}
  int axis_;
};

}  // namespace anydim
