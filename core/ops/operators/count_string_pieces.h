// SPDX-License-Identifier: Apache-2.0
// CountStringPieces: how many pieces StringSplit cuts strings into. A run reads the largest count to know how large its result is.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class CountStringPieces final : public Described<CountStringPieces, CountStringPiecesAttributes> {
 public:
  using Described::Described;
  enum Input { kX, kHeap, kClasses, kTransitions };
  int output_count() const noexcept override { return 2; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
