// SPDX-License-Identifier: Apache-2.0
// Pass dynamic_scales: sums of products that are cast to floats and multiplied by the scale of the left side times that of the right one
// are scaled by the product itself, which computes the same: float(sum) * (scale * scale). Exact.
#include "core/graph/passes/passes.h"
#include "core/graph/passes/quantized.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/matmul.h"

namespace anydim {

namespace {

using Factors = Quantization::Factors;
using From = Factors::From;

// v = left * right with the scale of a left side, known at run time, and that of weights.
bool is_product_of_scales(const Graph& g, ValueId v, ValueId* left, float* right) {
  const Node* n = made_by<Binary>(g, v);
  if (!n || as<Binary>(*n->op)->function() != BinaryFunction::mul) return false;
  for (int turn = 0; turn < 2; ++turn) {
    const ValueId a = n->inputs[turn ? 1 : 0], b = n->inputs[turn ? 0 : 1];
    const SymDims& dims = g.value(a).type.dims;
    if (g.value(a).constant || dims.rank > 1 || (dims.rank == 1 && !dims[0].is(1)) || !scalar_constant(g, b, 1, right) ||
        !(*right > 0.f && *right < 0x1p127f))
      continue;
    *left = a;
    return true;
  }
  return false;
}

// The product whose sums are `v` as floats, if nothing else is said of them.
const Node* casts_sums(const Graph& g, ValueId v) {
  const Node* cast = made_by<Cast>(g, v);
  if (!cast || dtype_of(g, cast->inputs[0]) != DType::i32 || !only_user(g, cast->inputs[0])) return nullptr;
  const Node* p = g.producer(cast->inputs[0]);
  if (!p || !p->quantization || p->post_ops.count > 0 || !(as<Convolution>(*p->op) || as<Matmul>(*p->op))) return nullptr;
  if (!is_8_bit(dtype_of(g, p->inputs[0])) || !is_8_bit(dtype_of(g, p->inputs[1]))) return nullptr;
  const Quantization& q = *p->quantization;
  for (const Factors& f : q.scale)
    if (f.present()) return nullptr;
  return q.result == DType::i32 ? p : nullptr;
}

}  // namespace

Status passes::dynamic_scales(Graph& graph) {
  for (const NodeId id : nodes_of(graph)) {
    const Node& n = graph.node(id);
    if (!n.op || !as<Binary>(*n.op) || as<Binary>(*n.op)->function() != BinaryFunction::mul || n.quantization || n.post_ops.count > 0)
      continue;
    for (int turn = 0; turn < 2; ++turn) {
      const ValueId sums = n.inputs[turn ? 1 : 0];
      const Node* p = casts_sums(graph, sums);
      ValueId left = kNoValue;
      float right = 0;
      if (!p || only_user(graph, sums) != &n || !is_product_of_scales(graph, n.inputs[turn ? 0 : 1], &left, &right)) continue;
      if (graph.value(n.outputs[0]).type.dims.rank != graph.value(sums).type.dims.rank) continue;  // a vector times [1] stays one
      Quantization q = *p->quantization;
      q.result = DType::f32;
      q.scale[0].from = From::operand;
      q.scale[1].from = From::attribute;
      q.scale[1].values = {right};
      std::vector<ValueId> tensors = p->post_inputs;  // zero points
      tensors.insert(tensors.begin(), left);          // the scale of input 0 is the first
      auto made = insert_quantized(graph, n, p->op, std::move(q), p->inputs, std::move(tensors));
      if (!made.ok()) return made.take_status();
      graph.replace_uses(n.outputs[0], *made);
      graph.erase_node(id);
      break;
    }
  }
  return {};
}

}  // namespace anydim
