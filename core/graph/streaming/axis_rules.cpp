// SPDX-License-Identifier: Apache-2.0
// What operators make of the streamed axis: which axis of the result it is, what they read around an element, or why they need all of it.
#include <algorithm>

#include "core/graph/streaming/axis_walk.h"
#include "core/ops/operators/arg_reduce.h"
#include "core/ops/operators/attention.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/cumsum.h"
#include "core/ops/operators/expand.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/recurrent.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/softmax.h"
#include "core/ops/operators/tile.h"
#include "core/ops/operators/topk.h"
#include "core/ops/operators/transpose.h"

namespace anydim {

namespace {

using Way = NodeTime::Way;
using Kind = TimeLine::Kind;

int from_end(int64_t axis, int rank) { return static_cast<int>(axis < 0 ? axis + rank : axis); }

}  // namespace

void AxisWalk::single(const Node& n, int result) {
  NodeTime t;
  t.line = in(n, 0).line;
  t.axis = result;
  if (!others_fixed(n) || !dims_follow(n, t)) return;
  set_outputs(n, t, result);
}

void AxisWalk::elementwise(const Node& n) {
  const int out = rank(n.outputs[0]);
  int axis = -1;
  for (const ValueId v : n.inputs)
    if (streamed(v)) axis = time(v).axis + out - rank(v);
  std::vector<Operand> operands;
  for (const ValueId v : n.inputs)
    if (v != kNoValue) operands.push_back({v, axis - out + rank(v)});
  NodeTime t;
  if (join(n, operands, axis, &t)) set_outputs(n, t, axis);
}

void AxisWalk::matmul(const Node& n) {
  const auto& at = static_cast<const Matmul&>(*n.op).get();
  const int ra = rank(n.inputs[0]), rb = rank(n.inputs[1]), out = rank(n.outputs[0]), matrix = (ra > 1) + (rb > 1);
  // Where an operand's axis is among the result's; -1: products are summed along it.
  const auto result_axis = [&](bool left, int rank, int axis) {
    const int place = rank - axis;  // 1: the last
    if (rank == 1) return -1;
    if (place > 2) return out - matrix - (place - 2);
    const bool rows = (place == 2) != (left ? at.transpose_a : at.transpose_b);
    if (left) return rows ? out - matrix : -1;
    return rows ? -1 : out - 1;
  };
  int axis = -1;
  for (size_t i = 0; i < 2; ++i)
    if (streamed(n.inputs[i])) {
      const int mine = result_axis(i == 0, rank(n.inputs[i]), in(n, i).axis);
      if (mine < 0) return refuse(n, "sums products along the axis");
      if (axis >= 0 && axis != mine) return refuse(n, "multiplies all elements of the axis with each other");
      axis = mine;
    }
  if (has(n, 2) && streamed(n.inputs[2])) axis = in(n, 2).axis + out - rank(n.inputs[2]);
  std::vector<Operand> operands;
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    if (!has(n, i)) continue;
    int mine = axis - out + rank(n.inputs[i]);
    if (i < 2) {
      mine = -1;
      for (int a = 0; a < rank(n.inputs[i]); ++a)
        if (result_axis(i == 0, rank(n.inputs[i]), a) == axis) mine = a;
    }
    operands.push_back({n.inputs[i], mine});
  }
  NodeTime t;
  if (join(n, operands, axis, &t)) set_outputs(n, t, axis);
}

void AxisWalk::reduce(const Node& n) {
  if (!streamed(n.inputs[0]) || !others_fixed(n)) return refuse(n, "has an operand along the axis");
  const int r = rank(n.inputs[0]), axis = in(n, 0).axis;
  int result = axis;
  if (const auto* op = as<Reduce>(*n.op)) {
    uint32_t mask = 0;
    if (Status s = op->axis_mask(r, &mask); !s.ok()) return refuse(n, s.message());
    if ((mask >> axis & 1) != 0) return refuse(n, "reduces the whole axis");
    if (!op->keepdims())
      for (int a = 0; a < axis; ++a) result -= static_cast<int>(mask >> a & 1);
  } else if (const auto* arg = as<ArgReduce>(*n.op)) {
    const int a = from_end(arg->axis(), r);
    if (a == axis) return refuse(n, "takes the position of the largest or smallest of the whole axis");
    if (!arg->keepdims() && a < axis) --result;
  } else if (const auto* softmax = as<Softmax>(*n.op)) {
    if (from_end(softmax->axis(), r) == axis) return refuse(n, "is a softmax over the whole axis");
  } else if (const auto* norm = as<LayerNorm>(*n.op)) {
    if (from_end(norm->axis(), r) <= axis) return refuse(n, "normalises over the whole axis");
  } else if (const auto* top = as<TopK>(*n.op)) {
    if (from_end(top->get().axis, r) == axis) return refuse(n, "takes the largest of the whole axis");
  } else if (const auto* tile = as<Tile>(*n.op)) {
    if (!tile->repeats()[axis].is(1)) return refuse(n, "repeats the whole axis");
  }
  single(n, result);
}

// The axis stays apart if the dims before it hold as many elements as those before one of the same length in the result.
void AxisWalk::reshape(const Node& n) {
  const int axis = in(n, 0).axis;
  const SymDims &from = graph_.value(n.inputs[0]).type.dims, &to = graph_.value(n.outputs[0]).type.dims;
  Dim outer = 1, before = 1;
  for (int a = 0; a < axis; ++a) outer = graph_.dims.mul(outer, from[a]);
  for (int a = 0; a < to.rank; ++a) {
    if (graph_.dims.provably_equal(before, outer) && graph_.dims.provably_equal(to[a], from[axis])) return single(n, a);
    before = graph_.dims.mul(before, to[a]);
  }
  refuse(n, formatted("mixes the axis with others: {} becomes {}", graph_.dims.text(from), graph_.dims.text(to)));
}

void AxisWalk::transpose(const Node& n) {
  const Perm& perm = static_cast<const Transpose&>(*n.op).perm();
  for (int a = 0; a < perm.rank; ++a)
    if (perm[a] == in(n, 0).axis) return single(n, a);
}

void AxisWalk::concat(const Node& n) {
  const int joined = static_cast<const Concat&>(*n.op).axis();
  int axis = -1;
  for (const ValueId v : n.inputs)
    if (streamed(v)) axis = time(v).axis;
  if (axis == joined) return beside(n, axis);
  std::vector<Operand> operands;
  for (const ValueId v : n.inputs) operands.push_back({v, axis});
  NodeTime t;
  if (join(n, operands, axis, &t)) set_outputs(n, t, axis);
}

void AxisWalk::expand(const Node& n) {
  const int out = rank(n.outputs[0]), r = rank(n.inputs[0]);
  if (streamed(n.inputs[0])) return single(n, in(n, 0).axis + out - r);
  if (in(n, 0).kind == ValueTime::Kind::last || in(n, 0).axis >= 0) {
    if (!dims_follow(n, {})) return;
    return refuse(n, "repeats a result along the axis that is not fixed");
  }
  int axis = -1;
  for (int a = 0; a < out; ++a) {
    if (!grows(dim(n.outputs[0], a))) continue;
    const int mine = a - out + r;
    if (axis >= 0 || (mine >= 0 && !dim(n.inputs[0], mine).is(1))) return refuse(n, "gives a tensor as long as the axis");
    axis = a;
  }
  if (axis < 0) return;
  values_[static_cast<size_t>(n.outputs[0])] = {ValueTime::Kind::fixed, axis, 0};
  NodeTime t;
  t.way = Way::spread;
  t.axis = axis;
  nodes_[static_cast<size_t>(n.id)] = t;
}

void AxisWalk::gather(const Node& n) {
  const int g = static_cast<const Gather&>(*n.op).axis();
  const bool data = streamed(n.inputs[0]), indices = streamed(n.inputs[1]);
  if (data && indices) return refuse(n, "looks up elements of the axis by others");
  NodeTime t;
  if (indices) {
    if (in(n, 0).axis >= 0) return refuse(n, "reads a tensor that is as long as the axis and does not come with it");
    t.line = in(n, 1).line;
    t.axis = g + in(n, 1).axis;
    return set_outputs(n, t, t.axis);
  }
  const int axis = in(n, 0).axis;
  t.line = in(n, 0).line;
  if (axis != g) {
    t.axis = axis < g ? axis : axis - 1 + rank(n.inputs[1]);
    return set_outputs(n, t, t.axis);
  }
  const ShapeValues& index = graph_.value(n.inputs[1]).shape_values;
  if (!index.known || index.elements.size() != 1 || !index.elements[0].is(-1)) return refuse(n, "picks elements of the axis");
  t.way = Way::last;
  t.axis = axis;
  nodes_[static_cast<size_t>(n.id)] = t;
  values_[static_cast<size_t>(n.outputs[0])] = {ValueTime::Kind::last, -1, 0};
}

void AxisWalk::recurrent(const Node& n) {
  const auto& at = static_cast<const Recurrent&>(*n.op).get();
  if (!streamed(n.inputs[0]) || !others_fixed(n)) return refuse(n, "has weights or states along the axis");
  if (in(n, 0).axis == 1) {
    if (has(n, Recurrent::kLengths) || has(n, Recurrent::kInitialHidden) || has(n, Recurrent::kInitialCell))
      return refuse(n, "has lengths or states for each element of the axis");
    NodeTime t;
    t.line = in(n, 0).line;
    t.axis = 2;
    set_outputs(n, t, 2);
    for (size_t i = 1; i < n.outputs.size(); ++i)
      if (n.outputs[i] != kNoValue) values_[static_cast<size_t>(n.outputs[i])].axis = 1;
    return;
  }
  if (in(n, 0).axis != 0) return refuse(n, "sums products along the axis");
  if (at.direction != RecurrentDirection::forward)
    return refuse(n, "takes its steps from the end of the axis (its direction is not forward)");
  if (has(n, Recurrent::kLengths)) return refuse(n, "has lengths of the sequences");
  if (Recurrent::of_numbers(graph_.value(n.inputs[Recurrent::kRecurrentWeights]).type.dtype))
    return refuse(n, "makes numbers of 8 bits of its input by the range of the whole axis");
  for (size_t i = 1; i < n.inputs.size(); ++i)
    if (has(n, i) && in(n, i).kind == ValueTime::Kind::last) return refuse(n, "begins with what the whole axis gives");
  NodeTime t;
  t.way = Way::recurrent;
  t.line = in(n, 0).line;
  t.axis = 0;
  nodes_[static_cast<size_t>(n.id)] = t;
  values_[static_cast<size_t>(n.outputs[0])] = {ValueTime::Kind::streamed, 0, t.line};
  for (size_t i = 1; i < n.outputs.size(); ++i)
    if (n.outputs[i] != kNoValue) values_[static_cast<size_t>(n.outputs[i])] = {ValueTime::Kind::last, -1, 0};
}

void AxisWalk::running_sum(const Node& n) {
  const auto& op = static_cast<const CumSum&>(*n.op);
  const int axis = in(n, 0).axis;
  const ShapeValues& which = graph_.value(n.inputs[1]).shape_values;
  if (!streamed(n.inputs[0]) || !which.known || which.elements.size() != 1 || !which.elements[0].is_number())
    return refuse(n, "is a running sum along an axis that is not fixed");
  if (from_end(which.elements[0].number(), rank(n.inputs[0])) != axis) return single(n, axis);
  if (op.reverse()) return refuse(n, "sums from the end of the axis");
  if (const DType t = graph_.value(n.inputs[0]).type.dtype; t == DType::f16 || t == DType::bf16)
    return refuse(n, "keeps its sum in 32 bits, and what it gives has 16");
  if (op.exclusive() || op.product()) return refuse(n, "is a running product or leaves its own element out");
  NodeTime t;
  t.way = Way::summed;
  t.line = in(n, 0).line;
  t.axis = axis;
  set_outputs(n, t, axis);
}

void AxisWalk::attention(const Node& n) {
  const auto& at = static_cast<const Attention&>(*n.op).get();
  for (size_t i = 0; i < 3; ++i)
    if (!streamed(n.inputs[i]) || in(n, i).axis != 2) return refuse(n, "has queries, keys or values that do not come along the axis");
  if (!others_fixed(n, 3)) return;
  for (const size_t i : {size_t{Attention::kStarts}, size_t{Attention::kLengths}, size_t{Attention::kOrigins}})
    if (has(n, i)) return refuse(n, "has positions or lengths that come with a run");
  for (const size_t i : {size_t{Attention::kBias}, size_t{Attention::kMask}})
    for (int a = 1; has(n, i) && a <= 2 && rank(n.inputs[i]) >= a; ++a)
      if (!dim(n.inputs[i], rank(n.inputs[i]) - a).is(1)) return refuse(n, "has a mask or bias along the axis");
  if (!at.first.is(0)) return refuse(n, "has queries that begin behind the keys");
  if (at.left_window < 0) return refuse(n, "sees all elements of the axis before a query (it has no window)");
  if (!at.causal && at.right_window < 0) return refuse(n, "sees all elements of the axis behind a query (it has no window)");
  bool ok = true;
  NodeTime t;
  t.way = Way::attended;
  t.axis = 2;
  const int32_t joined = lines_.join({in(n, 0).line, in(n, 1).line, in(n, 2).line}, Graph::label(n), &ok);
  if (!ok) return refuse(n, "joins tensors of different rates");
  TimeLine line{.kind = Kind::attended, .sources = {joined}, .before = at.left_window, .reach = at.causal ? 0 : at.right_window};
  line.node = Graph::label(n);
  t.line = lines_.add(std::move(line));
  if (!lines_.same(in(n, 0).line, t.line)) add_reader(n.inputs[0], t.line, true);
  add_reader(n.inputs[1], t.line, false);
  add_reader(n.inputs[2], t.line, false);
  set_outputs(n, t, 2);
}

}  // namespace anydim
