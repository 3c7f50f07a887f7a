// SPDX-License-Identifier: Apache-2.0
// Concat: any number of inputs, one after another along one axis.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Concat final : public Described<Concat, ConcatAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(int axis) { return make(Attributes{axis}); }  // normalised: 0..rank-1

  int axis() const noexcept { return static_cast<int>(at_.axis); }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
