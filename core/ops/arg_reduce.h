// SPDX-License-Identifier: Apache-2.0
// The index (i64) of the largest or smallest element along one axis. NaN counts as larger (max) or smaller (min)
// than any number, as in NumPy; +0 and -0 are equal.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class ArgReduce final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::arg_reduce;
  // Among equal elements the first is meant, or the last with select_last.
  static Result<OperatorPtr> make(bool max, int64_t axis, bool keepdims, bool select_last);

  bool max() const noexcept { return max_; }
  int64_t axis() const noexcept { return axis_; }  // as given, may be negative
  bool keepdims() const noexcept { return keepdims_; }
  bool select_last() const noexcept { return select_last_; }

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

 private:
  int64_t axis_ = 0;
  bool max_ = true, keepdims_ = true, select_last_ = false;
};

}  // namespace anydim
