// SPDX-License-Identifier: Apache-2.0
// What follows from shapes alone: types of a node's outputs, the guards that they leave open, and the contents of small
// integer tensors, evaluated on the host with symbols.
#pragma once

#include "core/graph/ir.h"

namespace anydim {

// Dtypes and dims of a node's outputs from its operator's shape rule, and guards for what that assumes. Sizes that
// meet in a broadcast are equal, or one of them is 1. One assumption goes beyond ONNX: two sizes made of the same symbols (h
// 16 and 2 * (h 32)) that meet in a sum of what convolutions or matrix products give are equal, so that the sum is fused and
// the dims that follow stay simple. The guard of it says `unimplemented` where one of the two is 1 and the other is not, which
// takes an image of a few pixels. A size that is the other's only at 0 and 1 (x and its first column) is broadcast at every
// size. What is assumed the rest of the rule knows already.
Status infer_types(Graph& graph, const Node& node, std::vector<TensorType>* out);
// The shape rule of `op`, with the real dtypes of the operands that a quantization describes (or null). What has to hold goes to the pool's
// requirements.
Status infer_quantized(const Operator& op, const Quantization* quantization, DimPool& pool, std::vector<TensorType> in,
                       std::span<TensorType> out);
// Guards that output dims are not negative, where the intervals leave that open.
void add_output_guards(Graph& graph, const Node& node);

// Fills in the contents of a node's outputs where its inputs' contents (or shapes) give them.
void infer_content(Graph& graph, const Node& node);

// Is one of its symbols a number of the data, which may be below 0, and no size?
bool is_from_data(const DimPool& pool, Dim d);

// ShapeValues of a constant with at most kMaxShapeValues elements of an integer, boolean or dyadic float dtype.
ShapeValues shape_values_of(const ConstantTensor& constant);

}  // namespace anydim
