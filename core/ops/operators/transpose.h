// SPDX-License-Identifier: Apache-2.0
// Transpose: output axis i is input axis perm[i]. With the identity permutation it is the graph's copy and change of
// memory layout.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"
#include "core/tensor/dims.h"

namespace anydim {

class Transpose final : public Described<Transpose, TransposeAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(const Perm& perm) { return make(Attributes{perm}); }

  const Perm& perm() const noexcept { return at_.perm; }
  bool is_identity() const noexcept;

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
