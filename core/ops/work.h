// SPDX-License-Identifier: Apache-2.0
// How much an operator computes at actual dims, and which integers make sense as its inputs: what estimates of time and tools
// that make up data ask. Operators answer themselves (op.h); here are the answers' forms. Nothing about how it is computed.
#pragma once

#include <cstdint>
#include <span>

#include "core/tensor/dims.h"

namespace anydim {

struct Work {
  double flops = -1;  // additions and multiplications of matmul and the convolutions, padding included; -1: not defined
  double steps = 0;   // scalar steps (one multiply-add, one comparison, one function value), for all operators
};
// A step per element of the largest tensor.
Work work_per_element(std::span<const Dims> in, std::span<const Dims> out) noexcept;
// So many sums of so many products.
constexpr Work work_of_products(double sums, double each) noexcept { return {2 * (sums * each), sums * each}; }
double count_of(const Dims& d) noexcept;

// Inclusive. Integers outside it are refused as data (an index past the end), are undefined (a division by 0), or say little.
struct ValueRange {
  int64_t low = 0, high = 99;
};
// Indices into an axis of this length.
constexpr ValueRange index_into(int64_t dim) noexcept { return {0, dim > 1 ? dim - 1 : 0}; }
// Vectors of indices (the last axis of `indices`) that walk several axes of the data, from `first` on.
ValueRange index_vectors_into(const Dims& data, int first, const Dims& indices) noexcept;

}  // namespace anydim
