// SPDX-License-Identifier: Apache-2.0
// Pass movers: transposes and reshapes that follow each other become one; a transpose that moves only axes of size 1
// becomes a reshape; a matmul reads a transposed operand as it lies; picking one index of an axis becomes a slice (which
// needs no copy later); a function of an expanded value is the function, expanded, and a constant that was expanded meets its other
// operand as it is. Exact.
#include "core/graph/passes/match.h"
#include "core/graph/passes/passes.h"
#include "core/ops/operators/expand.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/transpose.h"

namespace anydim {

namespace {

// The axes that are not known to be 1 keep their order.
bool keeps_order(const SymDims& dims, const Perm& perm) {
  int last = -1;
  for (int32_t axis : perm) {
    if (dims[axis].is(1)) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

Status replace(Graph& g, const Node& n, Result<OperatorPtr> op, ValueId x) {
  auto made = insert(g, n, std::move(op), {x});
  if (!made.ok()) return made.take_status();
  g.replace_uses(n.outputs[0], *made);
  return {};
}

Status simplify_reshape(Graph& g, const Node& n) {
  const Node* before = made_by<Reshape>(g, n.inputs[0], true);
  if (!before) return {};
  return replace(g, n, Reshape::make(as<Reshape>(*n.op)->dims()), before->inputs[0]);
}

Status simplify_transpose(Graph& g, const Node& n) {
  const Perm& perm = as<Transpose>(*n.op)->perm();
  const ValueId x = n.inputs[0];
  if (const Node* before = made_by<Transpose>(g, x, true)) {
    const Perm& first = as<Transpose>(*before->op)->perm();
    Perm both;
    for (int32_t p : perm) both.push_back(first[p]);
    return replace(g, n, Transpose::make(both), before->inputs[0]);
  }
  if (keeps_order(g.value(x).type.dims, perm)) return replace(g, n, Reshape::make(g.value(n.outputs[0]).type.dims), x);
  return {};
}

Status simplify_matmul(Graph& g, const Node& n) {
  auto at = as<Matmul>(*n.op)->get();
  std::vector<ValueId> inputs = n.inputs;
  bool changed = false;
  for (size_t side = 0; side < 2; ++side) {
    const Node* t = made_by<Transpose>(g, inputs[side], true);
    if (!t || !swaps_last_two(as<Transpose>(*t->op)->perm())) continue;
    inputs[side] = t->inputs[0];
    bool& flag = side == 0 ? at.transpose_a : at.transpose_b;
    flag = !flag;
    changed = true;
  }
  if (!changed) return {};
  auto made = insert(g, n, Matmul::make(at), std::move(inputs));
  if (!made.ok()) return made.take_status();
  g.replace_uses(n.outputs[0], *made);
  return {};
}

// Gather of one constant index: slice one position, then drop the axis (or leave it, for an index of rank 1).
Status simplify_gather(Graph& g, const Node& n) {
  const ConstantTensor* index = g.value(n.inputs[1]).constant.get();
  if (!index || index->count() != 1 || index->dims().rank > 1) return {};
  if (index->dtype() != DType::i64 && index->dtype() != DType::i32) return {};
  const int64_t at = index->dtype() == DType::i64 ? index->as<int64_t>()[0] : index->as<int32_t>()[0];
  const ValueId x = n.inputs[0];
  const SymDims& dims = g.value(x).type.dims;
  const int axis = as<Gather>(*n.op)->axis();
  if (!dims[axis].is_number()) return {};  // an index beyond a dim that only the run knows is the kernel's to find
  const int64_t first = at < 0 ? at + dims[axis].number() : at;
  if (first < 0 || first >= dims[axis].number()) return {};
  SymDims starts = SymDims::filled(dims.rank, Dim(0)), lengths = dims;
  starts[axis] = first;
  lengths[axis] = 1;
  auto slice = insert(g, n, Slice::make(starts, RankArray<int64_t>::filled(dims.rank, 1), lengths), {x});
  if (!slice.ok()) return slice.take_status();
  return replace(g, n, Reshape::make(g.value(n.outputs[0]).type.dims), *slice);
}

// One element that is known, whatever dims it broadcasts to without raising a rank.
bool is_scalar_constant(const Graph& g, ValueId v, int max_rank) {
  const Value& value = g.value(v);
  return value.constant && value.constant->count() == 1 && value.type.dims.rank <= max_rank;
}

// f(x, expand(c)) is expand(f(x, c)) for a scalar constant c.
Status take_from_expand(Graph& g, const Node& n) {
  for (size_t i = 0; i < 2; ++i) {
    const Node* e = made_by<Expand>(g, n.inputs[i], true);
    if (!e || !is_scalar_constant(g, e->inputs[0], g.value(n.inputs[1 - i]).type.dims.rank)) continue;
    std::vector<ValueId> inputs = n.inputs;
    inputs[i] = e->inputs[0];
    auto small = insert(g, n, n.op, std::move(inputs));
    if (!small.ok()) return small.take_status();
    return replace(g, n, Expand::make(g.value(n.outputs[0]).type.dims), *small);
  }
  return {};
}

// f(expand(x)) is expand(f(x)): for one input, or a scalar constant as the other.
Status swap_with_expand(Graph& g, const Node& n) {
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    const Node* e = n.inputs[i] == kNoValue ? nullptr : made_by<Expand>(g, n.inputs[i], true);
    if (!e || !only_user(g, n.inputs[i])) continue;
    const ValueId x = e->inputs[0];
    std::vector<ValueId> inputs = n.inputs;
    inputs[i] = x;
    if (inputs.size() > 1) {
      if (inputs.size() != 2 || !is_scalar_constant(g, inputs[1 - i], g.value(x).type.dims.rank)) continue;
    }
    auto small = insert(g, n, n.op, std::move(inputs));
    if (!small.ok()) return small.take_status();
    return replace(g, n, Expand::make(g.value(n.outputs[0]).type.dims), *small);
  }
  return {};
}

}  // namespace

Status passes::movers(Graph& graph) {
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (NodeId id : order) {
    const Node& n = graph.node(id);
    if (n.outputs.size() != 1 || graph.uses(n.outputs[0]) == 0 || n.post_ops.count > 0 || n.quantization) continue;
    switch (n.op->kind()) {
      case OpKind::reshape: ANYDIM_TRY(simplify_reshape(graph, n)); break;
      case OpKind::transpose: ANYDIM_TRY(simplify_transpose(graph, n)); break;
      case OpKind::matmul: ANYDIM_TRY(simplify_matmul(graph, n)); break;
      case OpKind::unary: ANYDIM_TRY(swap_with_expand(graph, n)); break;
      case OpKind::binary:
        ANYDIM_TRY(take_from_expand(graph, n));
        if (graph.uses(n.outputs[0]) > 0) ANYDIM_TRY(swap_with_expand(graph, n));
        break;
      case OpKind::gather: ANYDIM_TRY(simplify_gather(graph, n)); break;
      default: break;
    }
  }
  return {};
}

}  // namespace anydim
