// SPDX-License-Identifier: Apache-2.0
// EyeLike: ones on the k-th diagonal of a matrix with the input's dims, zeros elsewhere. The input's values are not read.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class EyeLike final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::eye_like;
  static Result<OperatorPtr> make(DType dtype, int64_t k);  // dtype none: the input's

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

  DType dtype() const noexcept { return dtype_; }
  int64_t k() const noexcept { return k_; }

 private:
  EyeLike(DType dtype, int64_t k) : dtype_(dtype), k_(k) {}
  DType dtype_;
  int64_t k_;
};

}  // namespace anydim
