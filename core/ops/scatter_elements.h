// SPDX-License-Identifier: Apache-2.0
// ScatterElements: a copy of the data (input 0) in which updates (input 2) are stored, or combined, at the indices
// (input 1) along one axis. Also what an update does to what is there, for ScatterND.
#pragma once

#include "core/ops/op.h"

namespace anydim {

// Updates that meet at one element are applied in the order of their logical index.
enum class ScatterReduction : uint8_t { none, add, mul, min, max };
const char* reduction_name(ScatterReduction r) noexcept;

class ScatterElements final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::scatter_elements;
  static Result<OperatorPtr> make(int axis, ScatterReduction reduction = ScatterReduction::none);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

  int axis() const noexcept { return axis_; }
  ScatterReduction reduction() const noexcept { return reduction_; }

 private:
  ScatterElements(int axis, ScatterReduction r) : axis_(axis), reduction_(r) {}
  int axis_;
  ScatterReduction reduction_;
};

}  // namespace anydim
