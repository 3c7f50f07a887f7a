// SPDX-License-Identifier: Apache-2.0
// Pass appends: Concat(past, new), the form in which exporters write a cache: `past` is an input of the graph and the result an output.
// As an append it may be made in the memory of the input (elision.h). Exact: the same elements are at the same places.
#include "core/graph/passes/passes.h"
#include "core/ops/operators/append.h"
#include "core/ops/operators/concat.h"

namespace anydim {

namespace {

bool is_cache(const Graph& g, const Node& n) {
  const auto* const concat = as<Concat>(*n.op);
  if (concat == nullptr || n.inputs.size() != 2 || n.engine != 0 || n.post_ops.count > 0 || n.quantization) return false;
  const Value &past = g.value(n.inputs[0]), &out = g.value(n.outputs[0]);
  // A small tensor of integers is content, which a concat hands on.
  return past.input >= 0 && !past.constant && n.inputs[0] != n.inputs[1] && g.is_output(out.id) && !past.shape_values.known &&
         !past.type.dims[concat->axis()].is_number();
}

}  // namespace

Status passes::appends(Graph& graph) {
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (const NodeId id : order) {
    if (!is_cache(graph, graph.node(id))) continue;
    const Node& n = graph.node(id);
    const ValueId out = n.outputs[0];
    const int axis = as<Concat>(*n.op)->axis();
    const Dim cached = graph.value(n.inputs[0]).type.dims[axis];
    auto op = Append::make(axis, cached, graph.value(out).type.dims[axis]);
    if (!op.ok()) return op.take_status();
    auto made = graph.insert_before(id, *op, {n.inputs[0], n.inputs[1]}, n.name, n.onnx_type);
    if (!made.ok()) return made.take_status();
    graph.value((*made)[0]).name = graph.value(out).name;
    graph.replace_uses(out, (*made)[0]);
    graph.erase_node(id);
  }
  return {};
}

}  // namespace anydim
