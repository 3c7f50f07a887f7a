// SPDX-License-Identifier: Apache-2.0
// StringConcat: strings joined by pairs, in a heap of their own, whose size is an attribute: a graph adds up the lengths before.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class StringConcat final : public Described<StringConcat, StringConcatAttributes> {
 public:
  using Described::Described;
  enum Input { kA, kAHeap, kB, kBHeap };
  int output_count() const noexcept override { return 2; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
