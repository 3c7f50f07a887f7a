// SPDX-License-Identifier: Apache-2.0
// Layer normalisation over the axes from `axis` to the last: y = (x - mean) / sqrt(variance + epsilon) * scale + bias.
// Inputs: x, scale (optional), bias (optional); scale and bias have the dims of the normalised axes.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class LayerNorm final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::layer_norm;
  static Result<OperatorPtr> make(int64_t axis, float epsilon);

  int64_t axis() const noexcept { return axis_; }  // as given, may be negative
  float epsilon() const noexcept { return epsilon_; }

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

 private:
  int64_t axis_ = -1;
  float epsilon_ = 1e-5f;
};

}  // namespace anydim
