// SPDX-License-Identifier: Apache-2.0
// Gather: slices of the data (input 0) along one axis, picked by the indices (input 1, negative from the end).
// Output dims: data dims with the axis replaced by the indices' dims.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Gather final : public Described<Gather, GatherAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(int axis) { return make(Attributes{axis}); }  // normalised: 0..rank-1

  int axis() const noexcept { return static_cast<int>(at_.axis); }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
