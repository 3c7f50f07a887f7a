// SPDX-License-Identifier: Apache-2.0
// StringLookup: where strings stand in a sorted table.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class StringLookup final : public Described<StringLookup, StringLookupAttributes> {
 public:
  using Described::Described;
  enum Input { kX, kHeap, kTable, kTableHeap };
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
