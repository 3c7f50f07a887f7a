// SPDX-License-Identifier: Apache-2.0
// Pass gather_first: rows are gathered from a constant before they are converted or scaled, not after. An embedding that is held in 8
// bits is then never converted as a whole. Exact: the same operations on the elements that are left.
#include "core/graph/passes/match.h"
#include "core/graph/passes/passes.h"
#include "core/graph/passes/quantized.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/gather.h"

namespace anydim {

namespace {

// Dims of `v` from which, behind gathering along `axis` of a tensor of rank `rank`, the same elements meet: v as it is, or gathered, too.
enum class Meets { never, as_it_is, gathered };
Meets meets(const Graph& g, ValueId v, int axis, const SymDims& whole) {
  const SymDims& d = g.value(v).type.dims;
  if (d.rank <= whole.rank - axis - 1) return Meets::as_it_is;  // only axes behind the gathered one
  if (d.rank == whole.rank && d[axis] == whole[axis] && g.value(v).constant) return Meets::gathered;
  for (const Dim x : d)
    if (!x.is(1)) return Meets::never;
  return d.rank == 0 || whole.rank == 1 ? Meets::as_it_is : Meets::never;
}

// Does it come of a constant through the nodes that the pass can pass by?
bool of_constant(const Graph& g, ValueId v, int depth) {
  if (g.value(v).constant) return true;
  const Node* n = g.producer(v);
  if (!n || depth == 0 || n->post_ops.count > 0 || n->outputs.size() != 1 || !n->post_inputs.empty()) return false;
  if (n->op->kind() == OpKind::cast) return of_constant(g, n->inputs[0], depth - 1);
  if (n->op->kind() == OpKind::unary && !n->quantization) return of_constant(g, n->inputs[0], depth - 1);
  if (n->op->kind() != OpKind::binary || n->quantization) return false;
  return of_constant(g, n->inputs[0], depth - 1) && of_constant(g, n->inputs[1], depth - 1);
}

// Gathers before the node that makes what is gathered from; the new gather, or kNoNode.
Result<NodeId> move_before(Graph& g, NodeId id) {
  const Node& n = g.node(id);
  const ValueId data = n.inputs[0];
  const Node* p = g.producer(data);
  if (!p || g.value(data).constant || !of_constant(g, data, 6)) return kNoNode;
  const int axis = as<Gather>(*n.op)->axis();
  const SymDims whole = g.value(data).type.dims;
  std::vector<ValueId> inputs = p->inputs;
  const OperatorPtr op = p->op;
  const std::shared_ptr<const Quantization> q = p->quantization;
  if (q)
    for (const auto* list : {&q->scale, &q->zero_point})
      for (const Quantization::Factors& f : *list)
        if (f.axis >= 0) return kNoNode;
  NodeId moved = kNoNode;
  for (ValueId& v : inputs) {
    if (same_dims(g, g.value(v).type.dims, whole)) {
      auto made = insert(g, n, n.op, {v, n.inputs[1]});
      if (!made.ok()) return made.take_status();
      v = *made;
      moved = g.value(v).producer;
      continue;
    }
    const Meets how = meets(g, v, axis, whole);
    if (how == Meets::never) return kNoNode;
    if (how == Meets::as_it_is) continue;
    auto made = insert(g, n, n.op, {v, n.inputs[1]});
    if (!made.ok()) return made.take_status();
    v = *made;
  }
  if (moved == kNoNode) return kNoNode;
  auto made = g.insert_before(n.id, op, std::move(inputs), n.name, n.onnx_type, q);
  if (!made.ok()) return made.take_status();
  if (!same_dims(g, g.value((*made)[0]).type.dims, g.value(n.outputs[0]).type.dims)) return kNoNode;
  g.replace_uses(n.outputs[0], (*made)[0]);
  g.erase_node(id);
  return moved;
}

}  // namespace

Status passes::gather_first(Graph& graph) {
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (const NodeId id : order) {
    NodeId gather = id;
    while (gather != kNoNode) {
      const Node& n = graph.node(gather);
      if (!n.op || !as<Gather>(*n.op) || n.post_ops.count > 0 || graph.uses(n.outputs[0]) == 0) break;
      auto moved = move_before(graph, gather);
      if (!moved.ok()) return moved.take_status();
      gather = *moved;
    }
  }
  return {};
}

}  // namespace anydim
