// SPDX-License-Identifier: Apache-2.0
// Unique: which slices of x along an axis are equal. The outputs are as large as the axis, so that every size is known before; how many
// of their elements count is the last output, which a graph reads (Graph::read_size) to cut them.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Unique final : public Described<Unique, UniqueAttributes> {
 public:
  using Described::Described;
  enum Output { kFirst, kInverse, kCounts, kCount, kOutputs };
  int output_count() const noexcept override { return kOutputs; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
