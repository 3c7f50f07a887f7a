// SPDX-License-Identifier: Apache-2.0
// CountNonZero: how many elements are not zero. A run reads it to know how large the result of NonZero is (Graph::read_size).
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class CountNonZero final : public Described<CountNonZero, CountNonZeroAttributes> {
 public:
  using Described::Described;
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
