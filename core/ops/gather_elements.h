// SPDX-License-Identifier: Apache-2.0
// GatherElements: one element of the data (input 0) for each index (input 1), which replaces its coordinate on one
// axis. Output dims: the indices' dims.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class GatherElements final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::gather_elements;
  static Result<OperatorPtr> make(int axis);  // normalised: 0..rank-1

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

  int axis() const noexcept { return axis_; }

 private:
  explicit GatherElements(int axis) : axis_(axis) {}
  int axis_;
};

}  // namespace anydim
