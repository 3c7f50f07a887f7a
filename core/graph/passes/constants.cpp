// SPDX-License-Identifier: Apache-2.0
// Pass constants: a node whose inputs are all constants is run once, now, by the kernels that would run it later. Exact.
// A node that this build cannot run is left where it is: compiling the model will say so.
#include <algorithm>

#include "core/dispatch/primitive/primitive.h"
#include "core/graph/constant_budget.h"
#include "core/graph/passes/compressed_weights.h"
#include "core/graph/passes/match.h"
#include "core/graph/passes/passes.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/transpose.h"

namespace anydim {

namespace {

// A constant larger than this is better made at run time from what it is made of (an expanded scalar, say).
constexpr int64_t kMaxFolded = INT64_C(16) << 20;

// Is it read as the right side of products alone, through conversions, scales and movers at most? Then it is packed once, in the wide form
// that it is folded to, and what it is made of goes.
bool becomes_weights(const Graph& graph, ValueId v, int depth) {
  if (graph.is_output(v) || graph.uses(v) == 0) return false;
  const std::vector<NodeId>& users = graph.value(v).users;
  return std::all_of(users.begin(), users.end(), [&](NodeId user) {
    const Node& n = graph.node(user);
    if (n.op->kind() == kControlFlow) return false;
    if (has_trait(n.op->kind(), Trait::products))
      return n.inputs[1] == v && n.inputs[0] != v && std::find(n.post_inputs.begin(), n.post_inputs.end(), v) == n.post_inputs.end();
    const bool passes = n.op->kind() == OpKind::cast || has_trait(n.op->kind(), Trait::elementwise) || n.op->kind() == OpKind::transpose ||
                        n.op->kind() == OpKind::reshape;
    return passes && depth > 0 && n.outputs.size() == 1 && becomes_weights(graph, n.outputs[0], depth - 1);
  });
}

// Bytes of a node's results, if they are numbers.
bool bytes_of_results(const Graph& graph, const Node& n, int64_t* out) {
  *out = 0;
  for (ValueId v : n.outputs) {
    int64_t bytes = dtype_size(graph.value(v).type.dtype);
    for (Dim d : graph.value(v).type.dims) {
      if (!d.is_number()) return false;
      bytes = saturating_mul(bytes, d.number());
    }
    *out = saturating_add(*out, bytes);
  }
  return true;
}

bool foldable(const Graph& graph, const Node& n, int64_t* out) {
  if (n.op->kind() == kControlFlow) return false;
  for (const SizeRead& r : graph.size_reads())
    if (graph.value(r.value).producer == n.id) return false;  // a run reads what a step has written
  for (const auto* list : {&n.inputs, &n.post_inputs})
    for (ValueId v : *list)
      if (v != kNoValue && !graph.value(v).constant) return false;
  for (Dim d : n.op->dim_attributes())
    if (!d.is_number()) return false;
  int64_t in = 0;
  for (auto at = n.inputs.begin(); at != n.inputs.end(); ++at)
    if (*at != kNoValue && std::find(n.inputs.begin(), at, *at) == at) in += graph.value(*at).constant->bytes();
  if (!bytes_of_results(graph, n, out)) return false;
  return *out <= kMaxFolded || *out <= 2 * in || (n.outputs.size() == 1 && becomes_weights(graph, n.outputs[0], 4));
}

// A transpose that movers will make a flag of the matmuls that read it: what they read stays the one copy of the elements.
bool read_by_flag(const Graph& graph, const Node& n) {
  const auto* t = as<Transpose>(*n.op);
  const ValueId y = t ? n.outputs[0] : kNoValue;
  if (!t || n.post_ops.count > 0 || !swaps_last_two(t->perm()) || graph.is_output(y) || graph.uses(y) == 0) return false;
  const std::vector<NodeId>& users = graph.value(y).users;
  return std::all_of(users.begin(), users.end(), [&](NodeId user) {
    const Node& m = graph.node(user);
    // As an operand, not as an addend.
    return as<Matmul>(*m.op) && m.post_ops.count == 0 && (m.inputs.size() < 3 || m.inputs[2] != y);
  });
}

std::vector<TensorView> views(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<TensorView> out;
  for (ValueId v : values) out.push_back(v == kNoValue ? TensorView{} : graph.value(v).constant->view());
  return out;
}

// The node's results take its place.
void replace(Graph& graph, NodeId id, const std::vector<ConstantPtr>& results, bool counted) {
  const Node& n = graph.node(id);
  for (size_t i = 0; i < results.size(); ++i) {
    const ValueId to = graph.add_constant(graph.value(n.outputs[i]).name, results[i]);
    if (counted) graph.value(to).made = results[i]->bytes();
    graph.replace_uses(n.outputs[i], to);
  }
  std::vector<ValueId> read = n.inputs;
  read.insert(read.end(), n.post_inputs.begin(), n.post_inputs.end());
  graph.erase_node(id);
  for (ValueId v : read) drop_unread(graph, v);
}

Status fold(Graph& graph, bool movers_follow) {
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (NodeId id : order) {
    const Node& n = graph.node(id);
    int64_t bytes = 0;
    if (!foldable(graph, n, &bytes) || (movers_follow && read_by_flag(graph, n))) continue;
    if (as<Reshape>(*n.op) && n.post_ops.count == 0) {  // the same elements, which large weights are not copied for
      Dims dims;
      for (Dim d : graph.value(n.outputs[0]).type.dims) dims.push_back(d.number());
      const ConstantPtr from = graph.value(n.inputs[0]).constant;
      replace(graph, id, {ConstantTensor::reshaped(*from, dims)}, false);
      continue;
    }
    if (!budget_of(graph).take(bytes)) continue;
    if (ConstantPtr quantized = as_dequantized(graph, n)) {
      replace(graph, id, {std::move(quantized)}, true);
      continue;
    }
    std::vector<HostTensor> results;
    const Status s = execute_once(n.op, views(graph, n.inputs), n.post_ops, views(graph, n.post_inputs), &results, n.quantization);
    if (s.code() == Code::out_of_memory) return error(s.code(), "{}: {}", Graph::label(n), s.message());
    if (!s.ok() || results.size() != n.outputs.size()) {
      budget_of(graph).give_back(bytes);
      continue;
    }
    std::vector<ConstantPtr> made;
    for (const HostTensor& t : results)
      made.push_back(std::make_shared<const ConstantTensor>(t.view.dtype, t.view.dims, t.view.data, t.memory));
    replace(graph, id, made, true);
  }
  return {};
}

}  // namespace

Status passes::constants(Graph& graph) { return fold(graph, true); }
Status passes::remaining_constants(Graph& graph) { return fold(graph, false); }

}  // namespace anydim
