// SPDX-License-Identifier: Apache-2.0
// Running sums along one axis, in index order (from the end with `reverse`); `exclusive` leaves the element itself
// out. Inputs: x, and the axis as a tensor of one i32 or i64, since its value may come from the data.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class CumSum final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::cumsum;
  static Result<OperatorPtr> make(bool exclusive, bool reverse);

  bool exclusive() const noexcept { return exclusive_; }
  bool reverse() const noexcept { return reverse_; }

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

 private:
  bool exclusive_ = false, reverse_ = false;
};

}  // namespace anydim
