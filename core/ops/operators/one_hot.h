// SPDX-License-Identifier: Apache-2.0
// OneHot: a new axis of `depth` elements, "on" where its position equals the index (negative from the end), "off"
// elsewhere and for indices out of range. Inputs: indices (any number type), values (off, on; the output's dtype).
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class OneHot final : public Described<OneHot, OneHotAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(int axis, Dim depth) { return make(Attributes{axis, depth}); }  // axis of the output

  int axis() const noexcept { return static_cast<int>(at_.axis); }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
