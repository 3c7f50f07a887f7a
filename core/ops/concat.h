// SPDX-License-Identifier: Apache-2.0
// Concat: any number of inputs, one after another along one axis.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class Concat final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::concat;
  static Result<OperatorPtr> make(int axis);  // normalised: 0..rank-1

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

  int axis() const noexcept { return axis_; }

 private:
  explicit Concat(int axis) : axis_(axis) {}
  int axis_;
};

}  // namespace anydim
