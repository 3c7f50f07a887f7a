// SPDX-License-Identifier: Apache-2.0
// NgramCounts: how often the n-grams of a pool occur in rows of items.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class NgramCounts final : public Described<NgramCounts, NgramCountsAttributes> {
 public:
  using Described::Described;
  enum Input { kX, kPool, kLengths, kColumns };
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
};

}  // namespace anydim
