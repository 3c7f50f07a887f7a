// SPDX-License-Identifier: Apache-2.0
// Attention over heads: softmax(q k^T * scale + bias) v, with keys that positions, windows, lengths and a mask leave out.
// Inputs: q, k, v, then bias, mask, starts, lengths, origins and sinks, all optional.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Attention final : public Described<Attention, AttentionAttributes> {
 public:
  using Described::Described;
  enum Input : uint8_t { kQ, kK, kV, kBias, kMask, kStarts, kLengths, kOrigins, kSinks, kInputs };

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
