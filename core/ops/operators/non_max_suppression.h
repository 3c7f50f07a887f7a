// SPDX-License-Identifier: Apache-2.0
// NonMaxSuppression: the boxes with the highest scores, without those that overlap a better one. The first output is as long as it could
// be, so that its size is known before; how much of it counts is the second, which a graph reads (Graph::read_size) to cut it.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class NonMaxSuppression final : public Described<NonMaxSuppression, NonMaxSuppressionAttributes> {
 public:
  using Described::Described;
  enum Input { kBoxes, kScores, kMostBoxes, kIouThreshold, kScoreThreshold };
  enum Output { kSelected, kCount, kOutputs };
  int output_count() const noexcept override { return kOutputs; }
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
