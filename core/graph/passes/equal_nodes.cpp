// SPDX-License-Identifier: Apache-2.0
// Pass equal_nodes: nodes with the same operator, post-ops and inputs compute the same; the later ones go. Small equal
// constants become one first. Exact.
#include <cstring>
#include <map>
#include <string>

#include "core/graph/passes/passes.h"

namespace anydim {

namespace {

constexpr int64_t kSmall = 256;  // bytes of constants that are compared

void merge_small_constants(Graph& graph) {
  std::map<std::string, ValueId> first;
  const int32_t count = graph.value_count();
  for (ValueId v = 0; v < count; ++v) {
    const ConstantTensor* c = graph.value(v).constant.get();
    if (!c || c->bytes() > kSmall || graph.uses(v) == 0) continue;
    std::string key = dtype_name(c->dtype()) + to_string(c->dims()) + ':';
    key.append(static_cast<const char*>(c->data()), static_cast<size_t>(c->bytes()));
    const auto [at, fresh] = first.emplace(std::move(key), v);
    if (!fresh) graph.replace_uses(v, at->second);
  }
}

}  // namespace

Status passes::equal_nodes(Graph& graph) {
  merge_small_constants(graph);
  std::map<std::string, NodeId> first;
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (NodeId id : order) {
    const Node& n = graph.node(id);
    if (n.op->kind() == kControlFlow) continue;
    std::string key = describe(*n.op) + '|' + describe(n.post_ops) + formatted("|{}", static_cast<int>(n.mode));
    for (const PostOp& p : n.post_ops) {
      uint32_t bits[2];
      std::memcpy(&bits[0], &p.alpha, 4);
      std::memcpy(&bits[1], &p.beta, 4);
      key += formatted(" {} {}", bits[0], bits[1]);
    }
    if (n.quantization) key += '|' + describe(*n.quantization);
    for (ValueId v : n.inputs) key += formatted(",{}", v);
    key += ';';
    for (ValueId v : n.post_inputs) key += formatted(",{}", v);
    const auto [at, fresh] = first.emplace(std::move(key), id);
    if (fresh) continue;
    const std::vector<ValueId> from = n.outputs, to = graph.node(at->second).outputs;
    for (size_t i = 0; i < from.size(); ++i) graph.replace_uses(from[i], to[i]);
    graph.erase_node(id);
  }
  return {};
}

}  // namespace anydim
