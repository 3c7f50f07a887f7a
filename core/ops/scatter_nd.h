// SPDX-License-Identifier: Apache-2.0
// ScatterND: a copy of the data (input 0) in which slices of the updates (input 2) are stored, or combined, at the
// coordinates in the last axis of the indices (input 1).
#pragma once

#include "core/ops/scatter_elements.h"

namespace anydim {

class ScatterNd final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::scatter_nd;
  static Result<OperatorPtr> make(ScatterReduction reduction = ScatterReduction::none);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

  ScatterReduction reduction() const noexcept { return reduction_; }

 private:
  explicit ScatterNd(ScatterReduction r) : reduction_(r) {}
  ScatterReduction reduction_;
};

}  // namespace anydim
