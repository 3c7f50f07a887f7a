// SPDX-License-Identifier: Apache-2.0
// A node's types as dispatch wants them: a Problem to ask kernels with, and a small pool of its own for the primitive, so
// that primitives do not carry the whole graph's expressions.
#pragma once

#include <vector>

#include "core/graph/ir.h"
#include "core/kernels/kernel.h"

namespace anydim {

struct NodeTypes {
  std::vector<TensorType> in, out, post_in;
  OperandSet constant;
  Problem problem(const Node& node) const {
    return {node.op.get(), in, out, &node.post_ops, post_in, node.mode, constant, node.quantization.get()};
  }
};
NodeTypes types_of(const Graph& graph, const Node& node);

// The same with each dim expression replaced by a symbol of `pool` that has its interval; the operator's too.
struct LocalTypes {
  DimPool pool;
  OperatorPtr op;
  std::vector<TensorType> in, post_in;
};
LocalTypes localise(const Graph& graph, const Node& node);

}  // namespace anydim
