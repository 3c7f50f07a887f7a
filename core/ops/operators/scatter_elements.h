// SPDX-License-Identifier: Apache-2.0
// ScatterElements: a copy of the data (input 0) in which updates (input 2) are stored, or combined, at the indices
// (input 1) along one axis. Also what an update does to the present element, for ScatterND.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class ScatterElements final : public Described<ScatterElements, ScatterElementsAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(int axis, ScatterReduction reduction = ScatterReduction::none) {
    return make(Attributes{axis, reduction});
  }

  int axis() const noexcept { return static_cast<int>(at_.axis); }
  ScatterReduction reduction() const noexcept { return at_.reduction; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
