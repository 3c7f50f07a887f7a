// SPDX-License-Identifier: Apache-2.0
// GatherND: the last axis of the indices (input 1) holds coordinates of slices of the data (input 0). The first
// batch_dims axes of both go together.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class GatherNd final : public Described<GatherNd, GatherNdAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(int batch_dims) { return make(Attributes{batch_dims}); }

  int batch_dims() const noexcept { return static_cast<int>(at_.batch_dims); }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
