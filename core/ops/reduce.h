// SPDX-License-Identifier: Apache-2.0
// Reduction over a set of axes. The order in which elements are combined is the contract of docs/numerics.md, section 2.
#pragma once

#include "core/ops/op.h"
#include "core/ops/reduce_kind.h"

namespace anydim {

class Reduce final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::reduce;
  // Axes may be negative (counted from the end); none means all axes. With keepdims the reduced axes stay as 1.
  static Result<OperatorPtr> make(ReduceKind kind, std::span<const int64_t> axes, bool keepdims);

  ReduceKind reduction() const noexcept { return reduction_; }
  bool keepdims() const noexcept { return keepdims_; }
  // Bit i is set if axis i of an input of this rank is reduced.
  Status axis_mask(int rank, uint32_t* mask) const;

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

 private:
  ReduceKind reduction_ = ReduceKind::sum;
  RankArray<int64_t> axes_;
  bool keepdims_ = true;
};

}  // namespace anydim
