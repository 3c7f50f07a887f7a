// SPDX-License-Identifier: Apache-2.0
// Post-op chains for reference kernels: one output element at a time, computed in f32 or f64. Deliberately not the code of
// epilogue.inl.h, so that the two check each other.
#pragma once

#include <span>

#include "core/ops/attributes.h"
#include "core/tensor/dims.h"

namespace anydim {

// y after the chain, for the output element at `at`. `tensors` are the chain's, in order; there may be more behind them. Beside f32
// results they may be of a 16-bit float.
float reference_chain(const PostOps& chain, std::span<const TensorView> tensors, const Dims& out, const Dims& at, float y) noexcept;
double reference_chain(const PostOps& chain, std::span<const TensorView> tensors, const Dims& out, const Dims& at, double y) noexcept;

}  // namespace anydim
