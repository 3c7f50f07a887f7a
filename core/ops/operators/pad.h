// SPDX-License-Identifier: Apache-2.0
// Pad: elements added (or, with negative counts, cut off) before and after each axis.
// Inputs: data, and for Mode::constant optionally one element of the same dtype (absent: zero).
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Pad final : public Described<Pad, PadAttributes> {
 public:
  using Described::Described;
  using Mode = PadMode;
  using Described::make;
  // One entry per axis of the input.
  static Result<OperatorPtr> make(Mode mode, const SymDims& before, const SymDims& after) { return make(Attributes{mode, before, after}); }
  static Status normalize(Attributes* a);

  Mode mode() const noexcept { return at_.mode; }
  int rank() const noexcept { return at_.before.rank; }
  Dim before(int axis) const noexcept { return at_.before[axis]; }
  Dim after(int axis) const noexcept { return at_.after[axis]; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
