// SPDX-License-Identifier: Apache-2.0
// RoiAlign: regions cut into bins, each of which becomes one number (ONNX RoiAlign and MaxRoiPool).
// Inputs: x N, C, H, W; rois regions, 4; batch regions. Output: regions, C, height, width.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class RoiAlign final : public Described<RoiAlign, RoiAlignAttributes> {
 public:
  using Described::Described;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
