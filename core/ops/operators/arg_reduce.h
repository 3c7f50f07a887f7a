// SPDX-License-Identifier: Apache-2.0
// The index (i64) of the largest or smallest element along one axis. NaN counts as larger (max) or smaller (min)
// than any number, as in NumPy; +0 and -0 are equal.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class ArgReduce final : public Described<ArgReduce, ArgReduceAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(ArgReduceKind kind, int64_t axis, bool keepdims, bool select_last) {
    return make(Attributes{kind, keepdims, axis, select_last});
  }

  bool max() const noexcept { return at_.kind == ArgReduceKind::max; }
  int64_t axis() const noexcept { return at_.axis; }  // as given, may be negative
  bool keepdims() const noexcept { return at_.keepdims; }
  bool select_last() const noexcept { return at_.select_last; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
