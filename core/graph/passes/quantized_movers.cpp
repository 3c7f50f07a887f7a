// SPDX-License-Identifier: Apache-2.0
// Pass quantized_movers: quantized values are moved before they are dequantized, where moving and the conversion may change places: a
// dequantized tensor is reshaped, transposed, cut, joined, gathered from or maximised as 8-bit integers. Exact: the same roundings of
// the same values.
#include "core/graph/passes/passes.h"
#include "core/graph/passes/quantized.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/resize.h"

namespace anydim {

namespace {

// Does the node choose among the elements of its data operands, without looking at their values but to find the largest?
bool moves(const Node& n) {
  if (n.quantization || n.post_ops.count > 0 || n.outputs.size() != 1 || n.inputs.empty()) return false;
  switch (n.op->kind()) {
    case OpKind::reshape:
    case OpKind::transpose:
    case OpKind::slice:
    case OpKind::expand:
    case OpKind::tile:
    case OpKind::gather:
    case OpKind::concat:
    case OpKind::depth_to_space: return true;
    case OpKind::pooling: {
      const Pooling::Attributes& at = as<Pooling>(*n.op)->get();
      // A window without an element is -inf, which no quantized value stands for.
      bool inside = at.kind == Pooling::Kind::max && !at.indices && !at.global && at.auto_pad == AutoPad::explicit_ && !at.ceil_mode;
      for (int i = 0; i < at.spatial; ++i) {
        const int64_t reach = at.dilations[i] * (at.window[i] - 1) + 1;
        inside = inside && at.pads_begin[i] + at.pads_end[i] < reach && at.dilations[i] == 1;
      }
      return inside;
    }
    case OpKind::resize: {
      const Resize::Attributes& at = as<Resize>(*n.op)->get();
      return at.mode == ResizeMode::nearest && at.coordinates != ResizeCoordinates::tf_crop_and_resize;
    }
    default: return false;
  }
}
size_t data_operands(const Node& n) { return n.op->kind() == OpKind::concat ? n.inputs.size() : 1; }

// Moves the conversion behind `n`; false if it cannot.
Result<bool> move_behind(Graph& g, NodeId id) {
  const Node& n = g.node(id);
  if (!n.op || !moves(n) || dtype_of(g, n.outputs[0]) != DType::f32 || g.uses(n.outputs[0]) == 0) return false;
  const Node* first = dequantizes(g, n.inputs[0]);
  if (!first || !per_tensor(*first->quantization, 0)) return false;
  std::vector<ValueId> inputs = n.inputs;
  for (size_t i = 0; i < data_operands(n); ++i) {
    const Node* d = dequantizes(g, n.inputs[i]);
    if (!d || !(*d->quantization == *first->quantization) || dtype_of(g, d->inputs[0]) != dtype_of(g, first->inputs[0])) return false;
    if (g.value(d->inputs[0]).constant) return false;  // it is computed once
    inputs[i] = d->inputs[0];
  }
  const Quantization q = *first->quantization;
  auto moved = insert(g, n, n.op, inputs);
  if (!moved.ok()) return moved.take_status();
  auto dequantized = insert_quantized(g, n, Cast::make(DType::f32), q, {*moved});
  if (!dequantized.ok()) return dequantized.take_status();
  g.replace_uses(n.outputs[0], *dequantized);
  g.erase_node(id);
  return true;
}

// Parts of a concat are quantized, and tensors before they get other dims or another order, if only quantized values are wanted.
Status quantize_before(Graph& g, NodeId id) {
  const Node& n = g.node(id);
  if (!quantizes(g, n) || !per_tensor(*n.quantization, Quantization::kResult)) return {};
  const Node* m = g.producer(n.inputs[0]);
  if (!m || m->quantization || m->post_ops.count > 0 || only_user(g, n.inputs[0]) != &n) return {};
  const OpKind kind = m->op->kind();
  if (kind != OpKind::concat && kind != OpKind::reshape && kind != OpKind::transpose) return {};
  const OperatorPtr op = m->op;
  const Quantization q = *n.quantization;
  const DType to = dtype_of(g, n.outputs[0]);
  std::vector<ValueId> inputs = m->inputs;
  for (size_t i = 0; i < (kind == OpKind::concat ? inputs.size() : 1); ++i) {
    auto part = insert_quantized(g, n, Cast::make(to), q, {inputs[i]});
    if (!part.ok()) return part.take_status();
    inputs[i] = *part;
  }
  auto moved = insert(g, n, op, inputs);
  if (!moved.ok()) return moved.take_status();
  g.replace_uses(n.outputs[0], *moved);
  g.erase_node(id);
  return {};
}

}  // namespace

Status passes::quantized_movers(Graph& graph) {
  for (const NodeId id : nodes_of(graph)) {
    auto moved = move_behind(graph, id);
    if (!moved.ok()) return moved.take_status();
  }
  std::vector<NodeId> order = nodes_of(graph);
  for (size_t i = order.size(); i-- > 0;) ANYDIM_TRY(quantize_before(graph, order[i]));
  return {};
}

}  // namespace anydim
