// SPDX-License-Identifier: Apache-2.0
// Matrix product with batch broadcasting (ONNX MatMul), optionally transposed and scaled (ONNX Gemm):
// y = alpha * op(a) op(b) + beta * c. Inputs: a ..., M, K; b ..., K, N; optional c that broadcasts to the output.
// Operands of rank 1 are a row (a) or a column (b) whose axis is dropped from the output.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Matmul final : public Described<Matmul, MatmulAttributes> {
 public:
  using Described::Described;
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
};

}  // namespace anydim
