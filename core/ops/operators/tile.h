// SPDX-License-Identifier: Apache-2.0
// Tile: each axis of the input repeated a number of times.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Tile final : public Described<Tile, TileAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(const SymDims& repeats) { return make(Attributes{repeats}); }  // one per axis, >= 0

  const SymDims& repeats() const noexcept { return at_.repeats; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
