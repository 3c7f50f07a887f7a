// SPDX-License-Identifier: Apache-2.0
// DeformColumns: the columns of a deformable convolution in two dims; a matmul with the weights makes the convolution of them.
// Inputs: x N, C, H, W; offset N, groups * KH * KW * 2, OH, OW; mask. Output: N, C * KH * KW, OH * OW.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class DeformColumns final : public Described<DeformColumns, DeformColumnsAttributes> {
 public:
  using Described::Described;
  static Status normalize(Attributes* a);
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
