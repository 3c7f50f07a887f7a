// SPDX-License-Identifier: Apache-2.0
// Layer normalisation over the axes from `axis` to the last: y = (x - mean) / sqrt(variance + epsilon) * scale + bias.
// Inputs: x, scale (optional), bias (optional); scale and bias have the dims of the normalised axes.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class LayerNorm final : public Described<LayerNorm, LayerNormAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(int64_t axis, float epsilon) { return make(Attributes{axis, epsilon}); }

  int64_t axis() const noexcept { return at_.axis; }  // as given, may be negative
  float epsilon() const noexcept { return at_.epsilon; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
