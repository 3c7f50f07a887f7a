// SPDX-License-Identifier: Apache-2.0
// Pass requantize: what is dequantized and quantized again with the same scale is the quantized values themselves. Exact.
#include <algorithm>

#include "core/graph/passes/passes.h"
#include "core/graph/passes/quantized.h"

namespace anydim {

namespace {

using Factors = Quantization::Factors;

bool same_factors(const Quantization& a, int of_a, const Quantization& b, int of_b) {
  const auto same = [](const Factors& x, const Factors& y) { return x.axis == y.axis && x.values == y.values; };
  return same(a.scale[of_a], b.scale[of_b]) && same(a.zero_point[of_a], b.zero_point[of_b]);
}

// round(s * q / s) is q where neither product nor quotient leaves the normal numbers.
bool stays_normal(const Factors& scale) {
  return std::all_of(scale.values.begin(), scale.values.end(), [](float s) { return s > 0x1p-100f && s < 0x1p100f; });
}

}  // namespace

Status passes::requantize(Graph& graph) {
  for (const NodeId id : nodes_of(graph)) {
    const Node& n = graph.node(id);
    if (!quantizes(graph, n)) continue;
    const Node* d = dequantizes(graph, n.inputs[0]);
    if (!d) continue;
    const ValueId x = d->inputs[0];
    if (same_factors(*d->quantization, 0, *n.quantization, Quantization::kResult) && dtype_of(graph, x) == dtype_of(graph, n.outputs[0]) &&
        stays_normal(d->quantization->scale[0])) {
      graph.replace_uses(n.outputs[0], x);
      graph.erase_node(id);
    }
  }
  return {};
}

}  // namespace anydim
