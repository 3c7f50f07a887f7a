// SPDX-License-Identifier: Apache-2.0
// The questions that the passes on quantized tensors ask: is this value the real numbers of 8-bit ones, and of which.
#pragma once

#include "core/graph/ir.h"
#include "core/graph/passes/match.h"

namespace anydim {

// A cast with a quantization that makes f32 of 8-bit numbers, by attributes alone (no table); else null.
const Node* dequantizes(const Graph& g, ValueId v);
// One that makes 8-bit numbers of f32.
bool quantizes(const Graph& g, const Node& n);
// One scale and zero point for a whole tensor.
bool per_tensor(const Quantization& q, int operand);

// Before `at`: a node with a quantization; `tensors`: its factors that come with each run.
Result<ValueId> insert_quantized(Graph& g, const Node& at, Result<OperatorPtr> op, Quantization q, std::vector<ValueId> inputs,
                                 std::vector<ValueId> tensors = {});

}  // namespace anydim
