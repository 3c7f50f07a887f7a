// SPDX-License-Identifier: Apache-2.0
// Trilu: the upper or lower triangle of the last two axes, zero elsewhere. k moves the diagonal: > 0 up, < 0 down.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Trilu final : public Described<Trilu, TriluAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(bool upper, Dim k) { return make(Attributes{upper, k}); }

  bool upper() const noexcept { return at_.upper; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
