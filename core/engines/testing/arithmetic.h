// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the test engine's own, from the text of docs/numerics.md and not from the CPU's kernels: sums and products of two f32
// tensors, and products of two f32 matrices. Comparing an engine with the CPU shows nothing where both run one function.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim::testing {

// Why this code does not compute a problem; null if it does.
const char* own_arithmetic_refuses(const Problem& problem) noexcept;
// All tensors have data. `wrong`: the first element's last bit is the other one.
void own_arithmetic(const Args& args, bool wrong) noexcept;

}  // namespace anydim::testing
