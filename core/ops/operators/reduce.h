// SPDX-License-Identifier: Apache-2.0
// Reduction over a set of axes. The order in which elements are combined is the contract of docs/numerics.md, section 2.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Reduce final : public Described<Reduce, ReduceAttributes> {
 public:
  using Described::Described;
  using Described::make;
  // Axes may be negative (counted from the end); none means all axes. With keepdims the reduced axes stay as 1.
  static Result<OperatorPtr> make(ReduceKind kind, std::span<const int64_t> axes, bool keepdims);

  ReduceKind reduction() const noexcept { return at_.kind; }
  bool keepdims() const noexcept { return at_.keepdims; }
  // Bit i is set if axis i of an input of this rank is reduced.
  Status axis_mask(int rank, uint32_t* mask) const;

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
