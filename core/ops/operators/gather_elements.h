// SPDX-License-Identifier: Apache-2.0
// GatherElements: one element of the data (input 0) for each index (input 1), which replaces its coordinate on one
// axis. Output dims: the indices' dims.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class GatherElements final : public Described<GatherElements, GatherElementsAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(int axis) { return make(Attributes{axis}); }  // normalised: 0..rank-1

  int axis() const noexcept { return static_cast<int>(at_.axis); }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
