// SPDX-License-Identifier: Apache-2.0
// StringMatch: whether an automaton accepts strings; the importer makes automata of regular expressions.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class StringMatch final : public Described<StringMatch, StringMatchAttributes> {
 public:
  using Described::Described;
  enum Input { kX, kHeap, kClasses, kTransitions };
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
