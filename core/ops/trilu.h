// SPDX-License-Identifier: Apache-2.0
// Trilu: the upper or lower triangle of the last two axes, zero elsewhere. k moves the diagonal: > 0 up, < 0 down.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class Trilu final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::trilu;
  static Result<OperatorPtr> make(bool upper, Dim k);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  std::span<const Dim> dim_attributes() const noexcept override { return {&k_, 1}; }
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override;
  void attributes(AttributeSink& sink) const override;

  bool upper() const noexcept { return upper_; }

 private:
  Trilu(bool upper, Dim k) : upper_(upper), k_(k) {}
  bool upper_;
  Dim k_;
};

}  // namespace anydim
