// SPDX-License-Identifier: Apache-2.0
// CouplePairs: probabilities of classes from those of each class against each other (Wu, Lin and Weng 2004, the second way).
// Input: [..., pairs]. Output: [..., classes].
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class CouplePairs final : public Described<CouplePairs, CouplePairsAttributes> {
 public:
  using Described::Described;
  static constexpr int kMostRounds = 100;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
