// SPDX-License-Identifier: Apache-2.0
// StringEqual: whether strings are equal, byte by byte.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class StringEqual final : public Described<StringEqual, StringEqualAttributes> {
 public:
  using Described::Described;
  enum Input { kA, kAHeap, kB, kBHeap };
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
