// SPDX-License-Identifier: Apache-2.0
// Pass post_ops: an element-wise operator moves into the operator that alone feeds it, as a step of its post-op chain. The
// same arithmetic in the same order: exact. A binary step's other operand must be there before the feeder runs, so the
// feeder moves down to where its consumer was, and it must broadcast into the feeder's output for every shape. Both are nodes of one
// engine; a device is asked whether it has a kernel for the longer chain, and where it has none the chain ends and the rest stays an
// operator beside it. The host's kernels take any chain.
//
// Pass half_post_ops does it with 16-bit floats, where it is a choice (docs/numerics.md, section 8): the feeder's result is no
// longer rounded to 16 bits before the step, as it would be between two operators.
#include <algorithm>

#include "core/dispatch/primitive/registry.h"
#include "core/graph/node_types.h"
#include "core/graph/passes/match.h"
#include "core/graph/passes/passes.h"

namespace anydim {

namespace {

DType value_dtype(const Graph& g, ValueId v) { return g.value(v).type.dtype; }

// How gladly an operator on tensors of this dtype alone takes post-ops; 0: not at all. Between two feeders of a sum the
// better one takes the other.
int welcome(const Graph& g, const Node* n, DType dtype) {
  if (!n || n->outputs.size() != 1 || value_dtype(g, n->outputs[0]) != dtype) return 0;
  // What sums of quantized values give in f32 goes through the chain as other sums do.
  if (n->quantization) return dtype == DType::f32 && has_trait(n->op->kind(), Trait::products) ? 3 : 0;
  const auto end = has_trait(n->op->kind(), Trait::dequantizes) ? n->inputs.begin() + 1 : n->inputs.end();
  if (!std::all_of(n->inputs.begin(), end, [&](ValueId v) { return v == kNoValue || value_dtype(g, v) == dtype; })) return 0;
  const OpKind kind = n->op->kind();
  if (!has_trait(kind, Trait::post_ops)) return 0;
  return has_trait(kind, Trait::products) ? 3 : has_trait(kind, Trait::elementwise) ? 1 : 2;
}

// The step that `n` is to the value `y`, and its tensor; false if it cannot be one.
bool as_step(Graph& g, const Node& n, ValueId y, PostOp* step, ValueId* operand) {
  const DType dtype = value_dtype(g, y);
  if (n.outputs.size() != 1 || n.quantization || value_dtype(g, n.outputs[0]) != dtype) return false;
  if (const auto* u = as<Unary>(*n.op)) {
    *step = {PostOp::Kind::unary, u->function(), {}, u->alpha(), u->beta()};
    *operand = kNoValue;
    return true;
  }
  const auto* b = as<Binary>(*n.op);
  if (!b || (n.inputs[0] == y) == (n.inputs[1] == y)) return false;
  const bool right = n.inputs[0] == y;  // y is the left operand
  *operand = n.inputs[right ? 1 : 0];
  const BinaryFunction f = b->function();
  *step = {right || is_commutative(f) ? PostOp::Kind::binary : PostOp::Kind::binary_reversed, {}, f};
  const SymDims& dims = g.value(y).type.dims;
  return value_dtype(g, *operand) == dtype && same_dims(g, dims, g.value(n.outputs[0]).type.dims) &&
         fits_into(g, g.value(*operand).type.dims, dims);
}

void move_before(Graph& g, NodeId node, NodeId at) {
  std::vector<NodeId> order;
  for (NodeId id : g.order()) {
    if (id == node) continue;
    if (id == at) order.push_back(node);
    order.push_back(id);
  }
  g.set_order(std::move(order));
}

// Can the feeder's engine run it with `n` as the step behind it, and n's own post-ops?
bool engine_takes(const Graph& g, std::span<const EnginePtr> engines, const Node& feeder, const Node& n, const PostOp& step,
                  ValueId operand) {
  if (feeder.engine == 0 || engines.empty()) return true;
  Node longer = feeder;
  longer.post_ops.append(step);
  if (operand != kNoValue) longer.post_inputs.push_back(operand);
  for (const PostOp& p : n.post_ops) longer.post_ops.append(p);
  longer.post_inputs.insert(longer.post_inputs.end(), n.post_inputs.begin(), n.post_inputs.end());
  const NodeTypes types = types_of(g, longer);
  return has_kernel(*engines[static_cast<size_t>(feeder.engine)], types.problem(longer));
}

// Moves `n`, of tensors of this dtype, into one of its feeders if it can.
bool fuse(Graph& g, const Node& n, DType dtype, std::span<const EnginePtr> engines) {
  NodeId best = kNoNode;
  ValueId fed = kNoValue;
  for (ValueId y : n.inputs) {
    const Node* feeder = y == kNoValue ? nullptr : g.producer(y);
    const int score = welcome(g, feeder, dtype);
    PostOp step;
    ValueId operand;
    // The consumer's own post-ops follow the step that it becomes.
    if (score == 0 || feeder->engine != n.engine || !only_user(g, y) || feeder->post_ops.count + 1 + n.post_ops.count > kMaxPostOps ||
        !as_step(g, n, y, &step, &operand))
      continue;
    if (!engine_takes(g, engines, *feeder, n, step, operand)) continue;
    // Of two equal feeders the later one: less has to wait.
    const int best_score = best == kNoNode ? 0 : welcome(g, &g.node(best), dtype);
    if (score > best_score || (score == best_score && g.available_before(fed, feeder->id))) {
      best = feeder->id;
      fed = y;
    }
  }
  if (best == kNoNode) return false;
  PostOp step;
  ValueId operand;
  if (!as_step(g, n, fed, &step, &operand)) return false;
  bool there = operand == kNoValue || g.available_before(operand, best);
  for (ValueId v : n.post_inputs) there = there && g.available_before(v, best);
  if (!there) move_before(g, best, n.id);
  g.append_post_op(best, step, operand);
  size_t next = 0;
  for (const PostOp& p : n.post_ops) g.append_post_op(best, p, p.takes_tensor() ? n.post_inputs[next++] : kNoValue);
  g.replace_uses(n.outputs[0], fed);
  g.erase_node(n.id);
  return true;
}

template <class Wanted> Status fuse_all(Graph& graph, std::span<const EnginePtr> engines, Wanted wanted) {
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (NodeId id : order) {
    const Node& n = graph.node(id);
    if (!n.op || graph.uses(n.outputs[0]) == 0) continue;
    if (const DType dtype = value_dtype(graph, n.outputs[0]); wanted(dtype)) fuse(graph, n, dtype, engines);
  }
  return {};
}

}  // namespace

Status passes::post_ops(Graph& graph, std::span<const EnginePtr> engines) {
  return fuse_all(graph, engines, [](DType t) { return t == DType::f32; });
}
// Before the partition: it changes results, which must not depend on who runs what.
Status passes::half_post_ops(Graph& graph) { return fuse_all(graph, {}, dtype_is_half); }

}  // namespace anydim
