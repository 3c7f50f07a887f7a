// SPDX-License-Identifier: Apache-2.0
// Transpose: output axis i is input axis perm[i]. With the identity permutation it is the graph's copy and change of
// memory layout.
#pragma once

#include "core/ops/op.h"
#include "core/tensor/dims.h"

namespace anydim {

class Transpose final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::transpose;
  static Result<OperatorPtr> make(const Perm& perm);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

  const Perm& perm() const noexcept { return perm_; }
  bool is_identity() const noexcept;

 private:
  explicit Transpose(const Perm& perm) : perm_(perm) {}
  Perm perm_;
};

}  // namespace anydim
