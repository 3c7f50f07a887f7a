// SPDX-License-Identifier: Apache-2.0
// Kernels of recurrent layers, best first.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList recurrent_kernels() noexcept;
const HostKernel& recurrent_reference() noexcept;
// Math mode reduced; the last of the list: plain loops.
KernelList recurrent_reduced_kernels() noexcept;
const HostKernel& recurrent_reduced_reference() noexcept;
// Whether kernels of that mode compute the problem: all of them or none.
Support reduced_serves_recurrent(const Problem& problem) noexcept;
KernelList recurrent_double_list() noexcept;   // of f64: doubles.cpp
KernelList recurrent_integer_list() noexcept;  // of weights of 8 bits: integers.cpp

// Sizes of a layer at actual dims.
struct RecurrentSizes {
  int64_t steps, batch, inputs, hidden, directions, gates;
};
RecurrentSizes recurrent_sizes(const Operator& op, std::span<const Dims> in) noexcept;
// The lengths lie between 0 and the number of steps.
Status check_lengths(const Args& args) noexcept;

// Whether threads share the columns of a step's product, where that is large, rather than take a part of the batch each: where there are
// fewer parts than threads, and where a part has so few rows that reading all weights for it is what takes the time.
inline bool share_columns(const RecurrentSizes& n, int64_t parts, int threads) noexcept {
  constexpr int64_t kRowsAtOneReading = 6;  // about the rows of a tile
  return threads > 1 && (n.directions * parts < threads || (parts > 1 && n.batch < kRowsAtOneReading * parts));
}

}  // namespace anydim
