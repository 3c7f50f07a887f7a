// SPDX-License-Identifier: Apache-2.0
// Pass quantized_binary: an element-wise function of two between conversions is one node, and a sum behind it is its post-op. Exact: the
// same roundings of the same values.
#include "core/graph/passes/passes.h"
#include "core/graph/passes/quantized.h"
#include "core/ops/operators/binary.h"

namespace anydim {

namespace {

bool joins(BinaryFunction f) {
  switch (f) {
    case BinaryFunction::add:
    case BinaryFunction::sub:
    case BinaryFunction::mul:
    case BinaryFunction::div:
    case BinaryFunction::max:
    case BinaryFunction::min: return true;
    default: return false;
  }
}
bool is_plain_binary(const Node* n) { return n && as<Binary>(*n->op) && !n->quantization && n->post_ops.count == 0; }

// The conversion that makes v of quantized values, if these have one scale.
const Node* dequantizes_tensor(const Graph& g, ValueId v) {
  const Node* d = dequantizes(g, v);
  return d && per_tensor(*d->quantization, 0) ? d : nullptr;
}

// Of a sum, the product of a dequantized tensor that alone is one of its terms; the other one is `addend`, which lies within its dims.
const Node* product_of_sum(Graph& g, const Node& sum, ValueId* addend) {
  if (as<Binary>(*sum.op)->function() != BinaryFunction::add || sum.inputs[0] == sum.inputs[1]) return nullptr;
  for (int turn = 0; turn < 2; ++turn) {
    const ValueId v = sum.inputs[turn ? 1 : 0], other = sum.inputs[turn ? 0 : 1];
    const Node* p = g.producer(v);
    if (!is_plain_binary(p) || as<Binary>(*p->op)->function() != BinaryFunction::mul || only_user(g, v) != &sum) continue;
    if (!dequantizes_tensor(g, p->inputs[0]) && !dequantizes_tensor(g, p->inputs[1])) continue;
    const SymDims& dims = g.value(v).type.dims;
    if (dtype_of(g, other) != DType::f32 || dequantizes(g, other) || !same_dims(g, dims, g.value(sum.outputs[0]).type.dims) ||
        !fits_into(g, g.value(other).type.dims, dims))
      continue;
    *addend = other;
    return p;
  }
  return nullptr;
}

}  // namespace

Status passes::quantized_binary(Graph& graph) {
  for (const NodeId id : nodes_of(graph)) {
    const Node& n = graph.node(id);
    if (!quantizes(graph, n) || !per_tensor(*n.quantization, Quantization::kResult)) continue;
    const Node* b = graph.producer(n.inputs[0]);
    if (!is_plain_binary(b) || only_user(graph, n.inputs[0]) != &n || !joins(as<Binary>(*b->op)->function())) continue;
    ValueId addend = kNoValue;  // of a product and a sum, as a batch normalisation is: a number per channel each
    if (const Node* product = product_of_sum(graph, *b, &addend)) b = product;
    Quantization q;
    q.result = dtype_of(graph, n.outputs[0]);
    q.scale[Quantization::kResult] = n.quantization->scale[Quantization::kResult];
    q.zero_point[Quantization::kResult] = n.quantization->zero_point[Quantization::kResult];
    std::vector<ValueId> inputs = b->inputs;
    int dequantized = 0;
    for (int i = 0; i < 2; ++i) {
      const Node* d = dequantizes_tensor(graph, inputs[static_cast<size_t>(i)]);
      if (!d) continue;
      q.scale[i] = d->quantization->scale[0];
      q.zero_point[i] = d->quantization->zero_point[0];
      inputs[static_cast<size_t>(i)] = d->inputs[0];
      ++dequantized;
    }
    if (dequantized == 0) continue;
    bool known = true;
    for (const ValueId v : inputs) known = known && (is_8_bit(dtype_of(graph, v)) || dtype_of(graph, v) == DType::f32);
    if (!known) continue;
    auto made = insert_quantized(graph, n, b->op, std::move(q), std::move(inputs));
    if (!made.ok()) return made.take_status();
    if (addend != kNoValue)
      graph.append_post_op(graph.producer(*made)->id, {.kind = PostOp::Kind::binary, .binary = BinaryFunction::add}, addend);
    graph.replace_uses(n.outputs[0], *made);
    graph.erase_node(id);
  }
  return {};
}

}  // namespace anydim
