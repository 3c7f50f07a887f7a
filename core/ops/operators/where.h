// SPDX-License-Identifier: Apache-2.0
// Selection: y = condition ? a : b, element by element, the three inputs broadcast together. Copies bits.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Where final : public Described<Where, WhereAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make() { return make(Attributes{}); }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
