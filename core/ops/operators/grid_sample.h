// SPDX-License-Identifier: Apache-2.0
// GridSample: the input read at positions that the grid gives for each element of the output, interpolated (ONNX GridSample over 1
// to 3 spatial axes). Inputs: x N, C, spatial...; grid N, out..., coordinates, the last axis of x first. Output: N, C, out...
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class GridSample final : public Described<GridSample, GridSampleAttributes> {
 public:
  using Described::Described;
  using Mode = GridSampleMode;
  using Padding = GridSamplePadding;

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
};

}  // namespace anydim
