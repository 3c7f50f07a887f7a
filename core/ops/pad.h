// SPDX-License-Identifier: Apache-2.0
// Pad: elements added (or, with negative counts, cut off) before and after each axis.
// Inputs: data, and for Mode::constant optionally one element of the same dtype (absent: zero).
#pragma once

#include "core/ops/op.h"
#include "core/tensor/dims.h"

namespace anydim {

class Pad final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::pad;
  enum class Mode : uint8_t {
    constant,
    reflect,  // mirrored about the edge element, which is not repeated; pads larger than the axis go back and forth
    edge,
    wrap,
  };
  // One entry per axis of the input.
  static Result<OperatorPtr> make(Mode mode, const SymDims& before, const SymDims& after);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  // All before, then all after.
  std::span<const Dim> dim_attributes() const noexcept override { return {dims_, static_cast<size_t>(2 * rank_)}; }
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override;
  void attributes(AttributeSink& sink) const override;

  Mode mode() const noexcept { return mode_; }
  int rank() const noexcept { return rank_; }
  Dim before(int axis) const noexcept { return dims_[axis]; }
  Dim after(int axis) const noexcept { return dims_[rank_ + axis]; }

 private:
  Pad() = default;
  Mode mode_ = Mode::constant;
  int rank_ = 0;
  Dim dims_[2 * kMaxRank];
};

}  // namespace anydim
