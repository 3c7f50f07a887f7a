// SPDX-License-Identifier: Apache-2.0
// Fold: columns summed at the windows that they were taken from (ONNX Col2Im), over 1 to 3 spatial axes.
// Input: columns N, C * window, windows. Output: N, C, image...
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Fold final : public Described<Fold, FoldAttributes> {
 public:
  using Described::Described;
  static Status normalize(Attributes* a);
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
