// SPDX-License-Identifier: Apache-2.0
// TopK: the k largest (or smallest) elements along one axis, and their indices (i64). Equal elements come in the
// order of their index; NaN counts as larger than any number (as NumPy sorts).
#pragma once

#include "core/ops/op.h"

namespace anydim {

class TopK final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::topk;
  struct Attributes {
    int axis = 0;  // normalised: 0..rank-1
    Dim k = 1;
    bool largest = true;
    bool sorted = true;  // false leaves the order open; ours is sorted all the same
  };
  static Result<OperatorPtr> make(const Attributes& attributes);

  OpKind kind() const noexcept override { return kKind; }
  int output_count() const noexcept override { return 2; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  std::span<const Dim> dim_attributes() const noexcept override { return {&at_.k, 1}; }
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override;
  void attributes(AttributeSink& sink) const override;

  const Attributes& get() const noexcept { return at_; }

 private:
  explicit TopK(const Attributes& a) : at_(a) {}
  Attributes at_;
};

}  // namespace anydim
