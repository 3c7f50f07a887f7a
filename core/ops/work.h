// SPDX-License-Identifier: Apache-2.0
// How much an operator computes at actual dims, and which integers make sense as its inputs: what estimates of time and tools
// that make up data ask. Nothing about how it is computed.
#pragma once

#include <span>

#include "core/ops/op.h"
#include "core/tensor/dims.h"

namespace anydim {

struct Work {
  double flops = -1;  // additions and multiplications of matmul and the convolutions, padding included; -1: not defined
  double steps = 0;   // scalar steps (one multiply-add, one comparison, one function value), for all operators
};
// in, out: dims of all inputs (weights included) and outputs that are there; absent ones have rank 0.
Work work_of(const Operator& op, std::span<const Dims> in, std::span<const Dims> out) noexcept;

// Inclusive. Integers outside it are refused as data (an index past the end), are undefined (a division by 0), or say little.
struct ValueRange {
  int64_t low = 0, high = 99;
};
ValueRange sensible_values(const Operator& op, std::span<const Dims> in, size_t input) noexcept;

}  // namespace anydim
