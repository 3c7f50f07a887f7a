// SPDX-License-Identifier: Apache-2.0
// Pass quantized_results, behind the post-ops: a product whose f32 result only one conversion reads stores quantized values; and one
// whose sums only a cast to f32 reads stores floats, which that rounds as well. Exact.
#include "core/graph/passes/passes.h"
#include "core/graph/passes/quantized.h"
#include "core/ops/operators/cast.h"

namespace anydim {

Status passes::quantized_results(Graph& graph, std::span<const EnginePtr>) {
  for (const NodeId id : nodes_of(graph)) {
    const Node& n = graph.node(id);
    if (!n.op || !as<Cast>(*n.op) || n.post_ops.count > 0) continue;
    const Node* p = graph.producer(n.inputs[0]);
    if (!p || !p->quantization || !has_trait(p->op->kind(), Trait::products) || p->engine != n.engine || p->transfer || n.transfer)
      continue;
    if (only_user(graph, n.inputs[0]) != &n || !is_8_bit(dtype_of(graph, p->inputs[0]))) continue;
    const bool whole = p->quantization->result == DType::i32 && !n.quantization && as<Cast>(*n.op)->to() == DType::f32 &&
                       p->post_ops.count == 0 && !p->quantization->scale[Quantization::kResult].present();
    if (!whole &&
        !(quantizes(graph, n) && p->quantization->result == DType::f32 && !p->quantization->scale[Quantization::kResult].present()))
      continue;
    if (!whole && n.quantization->scale[Quantization::kResult].axis >= 0) continue;
    Quantization q = *p->quantization;
    q.result = dtype_of(graph, n.outputs[0]);
    if (!whole) {
      q.scale[Quantization::kResult] = n.quantization->scale[Quantization::kResult];
      q.zero_point[Quantization::kResult] = n.quantization->zero_point[Quantization::kResult];
    }
    graph.set_quantization(p->id, std::move(q));
    graph.replace_uses(n.outputs[0], n.inputs[0]);
    graph.erase_node(id);
  }
  return {};
}

}  // namespace anydim
