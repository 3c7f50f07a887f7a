// SPDX-License-Identifier: Apache-2.0
// Det: determinants of the matrices in the last two axes.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Det final : public Described<Det, DetAttributes> {
 public:
  using Described::Described;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
