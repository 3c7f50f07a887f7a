// SPDX-License-Identifier: Apache-2.0
// Slice: per axis of the input a first index, a step (not 0, may be negative) and a length, all normalised: nothing
// is left for a kernel to clamp. Slice::normalise turns ONNX's (start, end, step) into that.
#pragma once

#include "core/ops/op.h"
#include "core/tensor/dims.h"

namespace anydim {

class Slice final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::slice;
  // One entry per axis of the input. An untouched axis is {0, 1, dim}.
  static Result<OperatorPtr> make(const SymDims& starts, const RankArray<int64_t>& steps, const SymDims& lengths);

  // ONNX's start and end of an axis (negative from the end, clamped) as first index and length.
  static Status normalise(DimPool& pool, Dim dim, Dim start, Dim end, int64_t step, Dim* first, Dim* length);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  // All starts, then all lengths.
  std::span<const Dim> dim_attributes() const noexcept override { return {dims_, static_cast<size_t>(2 * rank())}; }
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override;
  void attributes(AttributeSink& sink) const override;

  int rank() const noexcept { return steps_.rank; }
  Dim start(int axis) const noexcept { return dims_[axis]; }
  Dim length(int axis) const noexcept { return dims_[rank() + axis]; }
  const RankArray<int64_t>& steps() const noexcept { return steps_; }

 private:
  Slice() = default;
  Dim dims_[2 * kMaxRank];
  RankArray<int64_t> steps_;
};

}  // namespace anydim
