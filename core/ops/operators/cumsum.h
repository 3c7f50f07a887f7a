// SPDX-License-Identifier: Apache-2.0
// Running sums or products along one axis, in index order (from the end with `reverse`); `exclusive` leaves the element itself
// out. Inputs: x, and the axis as a tensor of one i32 or i64, since its value may come from the data.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class CumSum final : public Described<CumSum, CumSumAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(bool exclusive, bool reverse) { return make(Attributes{.exclusive = exclusive, .reverse = reverse}); }

  bool exclusive() const noexcept { return at_.exclusive; }
  bool reverse() const noexcept { return at_.reverse; }
  bool product() const noexcept { return at_.product; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
