// SPDX-License-Identifier: Apache-2.0
// What follows from shapes alone: types of a node's outputs, the guards that they leave open, and the contents of small
// integer tensors, evaluated on the host with symbols.
#pragma once

#include "core/graph/ir.h"

namespace anydim {

// Dtypes and dims of a node's outputs from its operator's shape rule, post-ops included.
Status infer_types(Graph& graph, const Node& node, std::vector<TensorType>* out);

// Guards for the equalities that `node`'s shape rule took for granted.
Status add_guards_for(Graph& graph, const Node& node);

// Fills in the contents of a node's outputs where its inputs' contents (or shapes) give them.
void infer_content(Graph& graph, const Node& node);

// Content of a constant with at most kMaxContent elements of an integer, boolean or dyadic float dtype.
Content content_of(const ConstantTensor& constant);

// ONNX's Reshape on symbols: 0 copies the input's dim (unless allow_zero), -1 takes what is left.
Status reshape_dims(DimPool& pool, const SymDims& in, std::span<const Dim> wanted, bool allow_zero, SymDims* out);

// ONNX's Slice along one axis on symbols: brings start and end into the dim's range and counts the elements.
struct SliceRange {
  Dim start, count;
};
SliceRange slice_range(DimPool& pool, Dim dim, Dim start, Dim end, int64_t step);

}  // namespace anydim
