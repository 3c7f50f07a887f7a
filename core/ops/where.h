// SPDX-License-Identifier: Apache-2.0
// Selection: y = condition ? a : b, element by element, the three inputs broadcast together. Copies bits.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class Where final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::where;
  static Result<OperatorPtr> make();

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink&) const override {}
};

}  // namespace anydim
