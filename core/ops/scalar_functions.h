// SPDX-License-Identifier: Apache-2.0
// What is known of the functions that act on single elements. What each computes, to the bit, is in docs/numerics.md and
// core/kernels/eltwise/functions.h; ONNX's definitions decide the mathematics. Files of one instruction set include this and
// nothing heavier.
#pragma once

#include "core/ops/generated/enums.h"

namespace anydim {

const char* function_name(UnaryFunction f) noexcept;
const char* function_name(BinaryFunction f) noexcept;

// How many of alpha and beta a function reads: 0, 1 (alpha) or 2.
int parameter_count(UnaryFunction f) noexcept;

}  // namespace anydim
