// SPDX-License-Identifier: Apache-2.0
// Pass attention: softmax(q k^T [* scale] [+ bias]) v, as exporters write it with heads as an axis of rank 4, becomes attention, so that
// the scores never lie in memory at once. The order of all sums is the same (docs/numerics.md, sections 8 and 11).
#include "core/graph/passes/match.h"
#include "core/graph/passes/passes.h"
#include "core/ops/operators/attention.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/softmax.h"
#include "core/ops/operators/transpose.h"

namespace anydim {

namespace {

constexpr int kHeadsRank = 4;  // batch, heads, rows, size

// v = a b or a b^T, times alpha and nothing else, of two tensors of f32 with heads.
const Matmul* product_of_heads(const Graph& g, ValueId v, ValueId* a, ValueId* b) {
  const Node* n = made_by<Matmul>(g, v);
  if (!n || n->inputs.size() > 2) return nullptr;
  const auto* op = as<Matmul>(*n->op);
  *a = n->inputs[0];
  *b = n->inputs[1];
  if (op->get().transpose_a || g.value(*a).type.dims.rank != kHeadsRank || g.value(*b).type.dims.rank != kHeadsRank) return nullptr;
  return op;
}

struct Scores {
  ValueId q, k;       // k as it stands in the product
  bool transposed_k;  // k lies as [.., keys, size] already
  float scale;
  ValueId bias = kNoValue;
};

// v = q k^T, or that times a number or divided by one; nobody else reads what lies between.
bool match_scores(const Graph& g, ValueId v, Scores* out) {
  ValueId x = v;
  float c = 1, alpha = 1;
  if (match_constant(g, v, BinaryFunction::div, &x, &c)) c = 1 / c;
  else if (!match_constant(g, v, BinaryFunction::mul, &x, &c)) x = v, c = 1;
  if (x != v && !only_user(g, x)) return false;
  const Matmul* product = product_of_heads(g, x, &out->q, &out->k);
  if (!product) return false;
  alpha = product->get().alpha;
  if (alpha != 1.f && c != 1.f) return false;  // two roundings
  out->scale = alpha * c;
  out->transposed_k = product->get().transpose_b;
  return true;
}

// v = the scores, or a sum of them and something that is added.
bool match_biased(const Graph& g, ValueId v, Scores* out) {
  if (match_scores(g, v, out)) return true;
  ValueId side[2];
  if (!match_binary(g, v, BinaryFunction::add, &side[0], &side[1])) return false;
  for (int i = 0; i < 2; ++i) {
    if (!only_user(g, side[i]) || !match_scores(g, side[i], out)) continue;
    out->bias = side[1 - i];
    return true;
  }
  return false;
}

// The keys as [.., keys, size]. What a transpose made of them is read before it, where that is enough.
Result<ValueId> keys_of(Graph& g, const Node& at, const Scores& s) {
  if (s.transposed_k) return s.k;
  Perm perm{0, 1, 3, 2};
  ValueId from = s.k;
  if (const Node* n = made_by<Transpose>(g, s.k)) {
    const Perm& first = as<Transpose>(*n->op)->perm();
    perm = {first[0], first[1], first[3], first[2]};
    from = n->inputs[0];
  }
  if (perm == Perm{0, 1, 2, 3}) return from;
  return insert(g, at, Transpose::make(perm), {from});
}

}  // namespace

Status passes::attention(Graph& graph, std::span<const EnginePtr> engines) {
  if (!engines.empty()) return {};  // devices have kernels of the parts, and none of the whole
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (const NodeId id : order) {
    const Node& n = graph.node(id);
    ValueId weights, values;
    if (n.outputs.size() != 1 || graph.uses(n.outputs[0]) == 0) continue;
    const Matmul* last = product_of_heads(graph, n.outputs[0], &weights, &values);
    if (!last || last->get().transpose_b || last->get().alpha != 1.f || !only_user(graph, weights)) continue;
    const Node* softmax = made_by<Softmax>(graph, weights);
    if (!softmax) continue;
    const auto* op = as<Softmax>(*softmax->op);
    const ValueId x = softmax->inputs[0];
    if (op->log() || (op->axis() != -1 && op->axis() != kHeadsRank - 1) || !only_user(graph, x)) continue;
    Scores found{};
    if (!match_biased(graph, x, &found)) continue;
    // One key head for each head, each example with its own: nothing is broadcast but the bias.
    const SymDims scores = graph.value(x).type.dims, q = graph.value(found.q).type.dims, k = graph.value(found.k).type.dims,
                  v = graph.value(values).type.dims;
    bool fits = scores.rank == kHeadsRank && !q[1].is(0);  // the operator has heads
    for (int i = 0; fits && i < 2; ++i)
      fits = graph.dims.provably_equal(q[i], k[i]) && graph.dims.provably_equal(q[i], v[i]) && graph.dims.provably_equal(q[i], scores[i]);
    fits = fits && graph.dims.provably_equal(scores[2], q[2]) && graph.dims.provably_equal(scores[3], v[2]);
    if (!fits || (found.bias != kNoValue && !fits_into(graph, graph.value(found.bias).type.dims, scores))) continue;
    auto keys = keys_of(graph, n, found);
    if (!keys.ok()) return keys.take_status();
    AttentionAttributes attributes;
    attributes.scale = found.scale;
    std::vector<ValueId> inputs{found.q, *keys, values};
    if (found.bias != kNoValue) inputs.push_back(found.bias);
    auto made = insert(graph, graph.node(id), Attention::make(attributes), std::move(inputs));
    if (!made.ok()) return made.take_status();
    graph.replace_uses(graph.node(id).outputs[0], *made);
  }
  return {};
}

}  // namespace anydim
