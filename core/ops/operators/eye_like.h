// SPDX-License-Identifier: Apache-2.0
// EyeLike: ones on the k-th diagonal of a matrix with the input's dims, zeros elsewhere. The input's values are not read.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class EyeLike final : public Described<EyeLike, EyeLikeAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(DType dtype, int64_t k) { return make(Attributes{dtype, k}); }  // dtype none: the input's

  DType dtype() const noexcept { return at_.dtype; }
  int64_t k() const noexcept { return at_.k; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
