// SPDX-License-Identifier: Apache-2.0
// Weights that are quantized to few bits, through the passes: what is computed of constants stays quantized as long as it can be expressed
// so (Dequantized in core/tensor/constant.h), and is dequantized where it is read.
#pragma once

#include "core/graph/ir.h"

namespace anydim {

// A constant of so many elements or more is worth it.
constexpr int64_t kLeastCompressed = 1 << 14;

// The result of a node whose inputs are constants, as the quantized values that it is made of: a conversion of a matrix of 8 bits or less, or
// what is subtracted from one, or multiplied with it. Null where it is something else.
ConstantPtr as_dequantized(const Graph& g, const Node& n);

// 16-bit floats as f32, made when they are asked for first.
ConstantPtr widened_later(const ConstantPtr& half);

// A constant that is made later has no element but zeros below 2^-90 by magnitude, which is found without making it.
bool surely_not_tiny(const ConstantTensor& c);

}  // namespace anydim
