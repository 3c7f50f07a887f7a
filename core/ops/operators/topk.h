// SPDX-License-Identifier: Apache-2.0
// TopK: the k largest (or smallest) elements along one axis, and their indices (i64). Equal elements come in the
// order of their index; NaN counts as larger than any number (as NumPy sorts).
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class TopK final : public Described<TopK, TopKAttributes> {
 public:
  using Described::Described;
  int output_count() const noexcept override { return 2; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
