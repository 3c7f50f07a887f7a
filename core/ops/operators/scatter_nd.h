// SPDX-License-Identifier: Apache-2.0
// ScatterND: a copy of the data (input 0) in which slices of the updates (input 2) are stored, or combined, at the
// coordinates in the last axis of the indices (input 1).
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class ScatterNd final : public Described<ScatterNd, ScatterNdAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(ScatterReduction reduction = ScatterReduction::none) { return make(Attributes{reduction}); }

  ScatterReduction reduction() const noexcept { return at_.reduction; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
