// SPDX-License-Identifier: Apache-2.0
// Tile: each axis of the input repeated a number of times.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class Tile final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::tile;
  static Result<OperatorPtr> make(const SymDims& repeats);  // one per axis, >= 0

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  std::span<const Dim> dim_attributes() const noexcept override { return {repeats_.begin(), repeats_.end()}; }
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override;
  void attributes(AttributeSink& sink) const override;

  const SymDims& repeats() const noexcept { return repeats_; }

 private:
  explicit Tile(const SymDims& repeats) : repeats_(repeats) {}
  SymDims repeats_;
};

}  // namespace anydim
