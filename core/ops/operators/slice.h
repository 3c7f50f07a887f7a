// SPDX-License-Identifier: Apache-2.0
// Slice: per axis of the input a first index, a step (not 0, may be negative) and a length, all normalised: nothing
// is left for a kernel to clamp. Slice::normalise turns ONNX's (start, end, step) into that.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"
#include "core/tensor/dims.h"

namespace anydim {

class Slice final : public Described<Slice, SliceAttributes> {
 public:
  using Described::Described;
  using Described::make;
  // One entry per axis of the input. An untouched axis is {0, 1, dim}.
  static Result<OperatorPtr> make(const SymDims& starts, const RankArray<int64_t>& steps, const SymDims& lengths) {
    return make(Attributes{starts, steps, lengths});
  }
  static Status normalize(Attributes* a);

  // ONNX's start and end of an axis (negative from the end, clamped) as first index and length.
  static Status normalise(DimPool& pool, Dim dim, Dim start, Dim end, int64_t step, Dim* first, Dim* length);

  int rank() const noexcept { return at_.starts.rank; }
  Dim start(int axis) const noexcept { return at_.starts[axis]; }
  Dim length(int axis) const noexcept { return at_.lengths[axis]; }
  const RankArray<int64_t>& steps() const noexcept { return at_.steps; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
