// SPDX-License-Identifier: Apache-2.0
// Pass equal_nodes: nodes with the same operator, post-ops and inputs compute the same; the later ones go. Small equal
// constants become one first. Exact.
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/graph/passes/passes.h"
#include "core/ops/operator_bytes.h"

namespace anydim {

namespace {

constexpr int64_t kSmall = 256;  // bytes of constants that are compared

std::string_view bytes_of(const ConstantTensor& c) { return {static_cast<const char*>(c.data()), static_cast<size_t>(c.bytes())}; }

void merge_small_constants(Graph& graph) {
  const auto constant = [&](ValueId v) -> const ConstantTensor& { return *graph.value(v).constant; };
  const auto hash = [&](ValueId v) { return std::hash<std::string_view>()(bytes_of(constant(v))); };
  const auto equal = [&](ValueId v, ValueId w) {
    const ConstantTensor &a = constant(v), &b = constant(w);
    return a.dtype() == b.dtype() && a.dims() == b.dims() && bytes_of(a) == bytes_of(b);
  };
  std::unordered_set<ValueId, decltype(hash), decltype(equal)> first(0, hash, equal);
  const int32_t count = graph.value_count();
  for (ValueId v = 0; v < count; ++v) {
    const ConstantTensor* c = graph.value(v).constant.get();
    if (!c || c->bytes() > kSmall || graph.uses(v) == 0) continue;
    const auto [at, fresh] = first.insert(v);
    if (!fresh) graph.replace_uses(v, *at);
  }
}

// What is compared first: few nodes that read the same compute something else.
size_t hash_of(const Node& n) {
  size_t hash = static_cast<size_t>(n.op->kind());
  for (const std::vector<ValueId>* list : {&n.inputs, &n.post_inputs})
    for (ValueId v : *list) hash = (hash ^ static_cast<size_t>(v)) * 0x9e3779b97f4a7c15;
  return hash;
}

// All that a node computes, as bytes.
std::string key_of(const Node& n) {
  KeyBytes key;
  if (!append_operator(&key, *n.op)) append_text(&key, describe(*n.op));  // symbols have a text only
  append_number(&key, n.mode);
  for (const PostOp& p : n.post_ops) {
    append_number(&key, p.kind);
    p.takes_tensor() ? append_number(&key, p.binary) : append_number(&key, p.unary);
    append_number(&key, p.alpha);
    append_number(&key, p.beta);
  }
  append_text(&key, n.quantization ? describe(*n.quantization) : std::string());
  for (const std::vector<ValueId>* list : {&n.inputs, &n.post_inputs}) {
    append_number(&key, static_cast<uint32_t>(list->size()));
    key.append(reinterpret_cast<const char*>(list->data()), list->size() * sizeof(ValueId));
  }
  return std::string(view(key));
}

// The nodes so far, each by what it computes.
class Seen {
 public:
  explicit Seen(const Graph& graph) : graph_(graph) { alone_.reserve(graph.order().size()); }

  // The first node that computes the same; this one if there is none.
  NodeId first(NodeId id) {
    const size_t hash = hash_of(graph_.node(id));
    const auto [at, fresh] = alone_.emplace(hash, id);
    if (fresh) return id;
    if (at->second != kNoNode) by_key_.emplace(key_of(graph_.node(at->second)), at->second);
    at->second = kNoNode;
    return by_key_.emplace(key_of(graph_.node(id)), id).first->second;
  }

 private:
  const Graph& graph_;
  std::unordered_map<size_t, NodeId> alone_;  // by hash: the one node of it, whose key nobody has asked for
  std::unordered_map<std::string, NodeId> by_key_;
};

}  // namespace

Status passes::equal_nodes(Graph& graph) {
  merge_small_constants(graph);
  Seen seen(graph);
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (NodeId id : order) {
    const Node& n = graph.node(id);
    if (n.op->kind() == kControlFlow) continue;
    const NodeId first = seen.first(id);
    if (first == id) continue;
    const std::vector<ValueId> from = n.outputs, to = graph.node(first).outputs;
    for (size_t i = 0; i < from.size(); ++i) graph.replace_uses(from[i], to[i]);
    graph.erase_node(id);
  }
  return {};
}

}  // namespace anydim
