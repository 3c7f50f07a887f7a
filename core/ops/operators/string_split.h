// SPDX-License-Identifier: Apache-2.0
// StringSplit: the pieces of strings, as views into the heap of the strings themselves.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class StringSplit final : public Described<StringSplit, StringSplitAttributes> {
 public:
  using Described::Described;
  enum Input { kX, kHeap, kClasses, kTransitions };
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
