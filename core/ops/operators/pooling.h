// SPDX-License-Identifier: Apache-2.0
// Pooling: the maximum or the average over windows of 1 to 3 spatial axes, or over all of them (global).
// Input N, C, spatial...; output 0 the pooled values, output 1 (max only, on request) the winners' positions as i64.
#pragma once

#include "core/ops/operators/convolution.h"
#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"
#include "core/tensor/dims.h"

namespace anydim {

class Pooling final : public Described<Pooling, PoolingAttributes> {
 public:
  using Described::Described;
  using Kind = PoolingKind;
  static Status normalize(Attributes* a);

  int output_count() const noexcept override { return at_.indices ? 2 : 1; }

  // The window for actual dims (N, C, spatial...), always as three axes: missing leading ones are 1 wide. This is
  // where global and auto_pad are settled.
  struct Window {
    int64_t in[kMaxSpatial], out[kMaxSpatial], kernel[kMaxSpatial], stride[kMaxSpatial], dilation[kMaxSpatial], pad_begin[kMaxSpatial],
        pad_end[kMaxSpatial];
  };
  Window window(const Dims& in, const Dims& out) const noexcept;

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
};

}  // namespace anydim
