// SPDX-License-Identifier: Apache-2.0
// NonZero: where the first `count` elements are that are not zero. How many there are says CountNonZero, an operator of its own, so that
// the size of this one's result is an attribute like any other.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class NonZero final : public Described<NonZero, NonZeroAttributes> {
 public:
  using Described::Described;
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
