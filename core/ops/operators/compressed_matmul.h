// SPDX-License-Identifier: Apache-2.0
// Product of a matrix and one that is held as numbers of few bits, with the bits of a matmul on the real numbers.
// Inputs: a ..., M, K; b K, N; scales and zero_points of its blocks, both optional.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class CompressedMatmul final : public Described<CompressedMatmul, CompressedMatmulAttributes> {
 public:
  using Described::Described;
  enum Input : uint8_t { kA, kB, kScales, kZeroPoints, kInputs };

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
};

}  // namespace anydim
