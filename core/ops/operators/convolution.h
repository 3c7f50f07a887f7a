// SPDX-License-Identifier: Apache-2.0
// Convolution over 1 to 3 spatial axes: attributes, shape rule, and where a window lies for actual dims.
// Inputs: src N, C, spatial...; weights M, C / group, kernel...; optional bias M. Output: N, M, spatial...
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

constexpr int kMaxSpatial = 3;

class Convolution final : public Described<Convolution, ConvolutionAttributes> {
 public:
  using Described::Described;
  static Status normalize(Attributes* a);

  // Padding before the first position of a spatial axis, for actual sizes.
  int64_t pad_begin(int axis, int64_t in, int64_t kernel) const noexcept;

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
};

}  // namespace anydim
