// SPDX-License-Identifier: Apache-2.0
// The questions that the passes on quantized tensors ask: is this value dequantized, and from which one.
#pragma once

#include <vector>

#include "core/graph/ir.h"
#include "core/graph/passes/match.h"

namespace anydim {

inline bool is_8_bit(DType t) { return t == DType::i8 || t == DType::u8; }
inline DType dtype_of(const Graph& g, ValueId v) { return v == kNoValue ? DType::none : g.value(v).type.dtype; }
inline std::vector<NodeId> nodes_of(const Graph& g) { return {g.order().begin(), g.order().end()}; }  // the list as it is now

// A cast with a quantization from 8 bits to f32, by attributes alone (no table); else null.
const Node* dequantizes(const Graph& g, ValueId v);
// One from f32 to 8 bits.
bool quantizes(const Graph& g, const Node& n);
// One scale and zero point for a whole tensor.
bool per_tensor(const Quantization& q, int operand);

// Before `at`: a node with a quantization; `tensors`: its factors that come with each run.
Result<ValueId> insert_quantized(Graph& g, const Node& at, Result<OperatorPtr> op, Quantization q, std::vector<ValueId> inputs,
                                 std::vector<ValueId> tensors = {});

}  // namespace anydim
