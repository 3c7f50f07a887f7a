// SPDX-License-Identifier: Apache-2.0
// Pass quantized_products: a product of dequantized operands is a product of the quantized values, whose sums are exact. A choice
// (docs/numerics.md, section 8): sums of floats round.
#include "core/graph/passes/passes.h"
#include "core/graph/passes/quantized.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/matmul.h"

namespace anydim {

namespace {

using Factors = Quantization::Factors;

// One factor for all of the operand, or one per row, or per output channel or column.
bool factors_of_result(const Graph& g, const Node& product, int operand, const Node& d) {
  const auto rank = [&](size_t i) { return g.value(product.inputs[i]).type.dims.rank; };
  for (const Factors* f : {&d.quantization->scale[0], &d.quantization->zero_point[0]})
    if (f->axis >= 0 && Quantization::axis_of_result(*product.op, operand, f->axis, rank(0), rank(1), kMaxRank) < 0) return false;
  return true;
}

// Of a transposed convolution: as many phases as are packed, and no panels that are mostly empty, as groups of few channels would have.
bool suits_quantized(const Graph& g, const Node& n) {
  constexpr int64_t kLeastOfGroup = 16;
  const auto* t = as<ConvTranspose>(*n.op);
  const Dim columns = g.value(n.inputs[1]).type.dims[1];
  return t->phases() <= ConvTranspose::kMostPhasesOfNumbers &&
         (t->get().group == 1 || (columns.is_number() && columns.number() >= kLeastOfGroup));
}

}  // namespace

Status passes::quantized_products(Graph& graph) {
  for (const NodeId id : nodes_of(graph)) {
    const Node& n = graph.node(id);
    if (!n.op || n.quantization || n.post_ops.count > 0 || n.outputs.size() != 1) continue;
    if (!as<Matmul>(*n.op) && !as<Convolution>(*n.op) && !(as<ConvTranspose>(*n.op) && suits_quantized(graph, n))) continue;
    if (const auto* m = as<Matmul>(*n.op); m && (m->get().alpha != 1.f || m->get().beta != 1.f)) continue;
    const Node *a = dequantizes(graph, n.inputs[0]), *b = dequantizes(graph, n.inputs[1]);
    if (!a || !b || !factors_of_result(graph, n, 0, *a) || !factors_of_result(graph, n, 1, *b)) continue;
    if (as<ConvTranspose>(*n.op) && !(per_tensor(*a->quantization, 0) && graph.value(b->inputs[0]).constant)) continue;
    Quantization q;
    q.result = DType::f32;
    q.scale[0] = a->quantization->scale[0];
    q.zero_point[0] = a->quantization->zero_point[0];
    q.scale[1] = b->quantization->scale[0];
    q.zero_point[1] = b->quantization->zero_point[0];
    std::vector<ValueId> inputs = n.inputs;
    inputs[0] = a->inputs[0];
    inputs[1] = b->inputs[0];
    auto made = insert_quantized(graph, n, n.op, std::move(q), std::move(inputs));
    if (!made.ok()) return made.take_status();
    graph.replace_uses(n.outputs[0], *made);
    graph.erase_node(id);
  }
  return {};
}

}  // namespace anydim
