// SPDX-License-Identifier: Apache-2.0
// The walk over the nodes; see axis_walk.h. The rules of operators are in axis_rules.cpp.
#include "core/graph/streaming/axis_walk.h"

#include <algorithm>

#include "core/graph/control_flow.h"

namespace anydim {

Status AxisWalk::run() {
  values_.resize(static_cast<size_t>(graph_.value_count()));
  nodes_.resize(static_cast<size_t>(graph_.node_capacity()));
  refused_.assign(nodes_.size(), 0);
  if (options_.axes.empty()) return invalid("no input is named; expected one at least with its axis");
  Dim length;
  for (const StreamedAxis& a : options_.axes) {
    const auto found =
        std::find_if(graph_.inputs().begin(), graph_.inputs().end(), [&](ValueId v) { return graph_.value(v).name == a.input; });
    if (found == graph_.inputs().end()) return error(Code::not_found, "the model has no input '{}'", a.input);
    if (a.axis < 0 || a.axis >= rank(*found))
      return invalid("axis of input '{}' is {}; expected 0 to {}", a.input, a.axis, rank(*found) - 1);
    const Dim d = dim(*found, a.axis);
    if (d.is_number())
      return invalid("dim {} of input '{}' is {} in the model; expected one that is not fixed", a.axis, a.input, d.number());
    for (const int32_t s : graph_.dims.symbols(graph_.dims.simplify(d))) symbols_.push_back(s);
    for (const int32_t s : graph_.dims.symbols(d)) symbols_.push_back(s);
    values_[static_cast<size_t>(*found)] = {ValueTime::Kind::streamed, a.axis, 0};
  }
  for (const ValueId v : graph_.inputs()) {
    if (time(v).kind == ValueTime::Kind::streamed) continue;
    for (int a = 0; a < rank(v); ++a)
      if (grows(dim(v, a)))
        return invalid("dim {} of input '{}' is {}, along which another input is streamed; name this input with its axis, too", a,
                       graph_.value(v).name, graph_.dims.text(dim(v, a)));
  }
  if (!graph_.size_reads().empty())
    refusals_.push_back(formatted("'{}' has sizes that follow from data", graph_.value(graph_.size_reads()[0].value).name));
  for (const NodeId id : graph_.order()) visit(graph_.node(id));
  if (refusals_.empty()) return {};
  std::string all;
  for (const std::string& r : refusals_) all += (all.empty() ? "" : "; ") + r;
  return unimplemented("the model cannot be computed by chunks: {}", all);
}

void AxisWalk::refuse(const Node& n, std::string_view why) {
  refused_[static_cast<size_t>(n.id)] = 1;
  refusals_.push_back(formatted("node '{}' {}", Graph::label(n), why));
  for (const ValueId v : n.outputs)
    if (v != kNoValue) values_[static_cast<size_t>(v)].kind = ValueTime::Kind::unknown;
}

bool AxisWalk::grows(Dim d) const {
  if (d.is_number()) return false;
  const std::vector<int32_t> made_of = graph_.dims.symbols(d);
  return std::any_of(made_of.begin(), made_of.end(),
                     [&](int32_t s) { return std::find(symbols_.begin(), symbols_.end(), s) != symbols_.end(); });
}

int32_t AxisWalk::reader(ValueId v, int32_t line, bool plain) const {
  const auto found = reader_of_.find({v, line, plain});
  return found == reader_of_.end() ? -1 : found->second;
}

void AxisWalk::add_reader(ValueId v, int32_t line, bool plain, bool carried) {
  const std::tuple<ValueId, int32_t, bool> key{v, line, plain};
  if (reader_of_.count(key) != 0) return;
  reader_of_[key] = static_cast<int32_t>(readers_.size());
  readers_.push_back({v, line, plain, carried});
}

bool AxisWalk::others_fixed(const Node& n, size_t from) {
  for (size_t i = from; i < n.inputs.size(); ++i)
    if (has(n, i) && in(n, i).kind == ValueTime::Kind::streamed) {
      refuse(n, formatted("reads a tensor along the axis as its operand {}", i));
      return false;
    }
  return true;
}

bool AxisWalk::join(const Node& n, const std::vector<Operand>& operands, int axis, NodeTime* out) {
  std::vector<int32_t> lines;
  for (const Operand& o : operands) {
    if (!streamed(o.value)) {
      if (time(o.value).kind == ValueTime::Kind::last) return refuse(n, "joins a result of the whole axis with its elements"), false;
      if (o.axis >= 0 && time(o.value).axis != o.axis && !dim(o.value, o.axis).is(1)) {
        refuse(n, "joins the axis with a tensor of one length");
        return false;
      }
      continue;
    }
    if (time(o.value).axis != o.axis) return refuse(n, "joins the axis with another one"), false;
    lines.push_back(time(o.value).line);
  }
  bool ok = true;
  out->line = lines_.join(lines, Graph::label(n), &ok);
  if (!ok) return refuse(n, "joins tensors of different rates, or of which one is too far behind the other"), false;
  out->axis = axis;
  for (const Operand& o : operands)
    if (streamed(o.value) && !lines_.same(time(o.value).line, out->line)) add_reader(o.value, out->line, true);
  return true;
}

bool AxisWalk::line_of(const Node& n, TimeLine line, NodeTime* out) {
  line.node = Graph::label(n);
  line.sources = {in(n, 0).line};
  out->line = lines_.add(std::move(line));
  return true;
}

// Dims among the attributes are the axis itself, or do not grow with it.
bool AxisWalk::dims_follow(const Node& n, const NodeTime& t) {
  const Dim whole = t.line < 0 || t.axis < 0 ? Dim(0) : dim(n.outputs[0], t.axis);
  for (const Dim d : n.op->dim_attributes())
    if (grows(d) && (t.line < 0 || !graph_.dims.provably_equal(d, whole))) {
      refuse(n, formatted("computes with the length of the axis ({})", graph_.dims.text(d)));
      return false;
    }
  return true;
}

void AxisWalk::set_outputs(const Node& n, const NodeTime& t, int axis) {
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    if (n.outputs[i] == kNoValue) continue;
    ValueTime& v = values_[static_cast<size_t>(n.outputs[i])];
    v = {ValueTime::Kind::streamed, axis, t.line};
    const SymDims& d = graph_.value(n.outputs[i]).type.dims;
    for (int a = 0; a < d.rank; ++a)
      if (a != axis && grows(d[a])) return refuse(n, formatted("has the length of the axis in dim {} of its result, too", a));
  }
  nodes_[static_cast<size_t>(n.id)] = t;
}

void AxisWalk::visit(const Node& n) {
  bool any = false, last = false;
  for (const ValueId v : n.inputs) {
    if (v == kNoValue) continue;
    if (time(v).kind == ValueTime::Kind::unknown) {
      for (const ValueId o : n.outputs)
        if (o != kNoValue) values_[static_cast<size_t>(o)].kind = ValueTime::Kind::unknown;
      return;
    }
    any |= time(v).kind == ValueTime::Kind::streamed;
    last |= time(v).kind == ValueTime::Kind::last;
  }
  for (const ValueId v : n.post_inputs) {
    if (time(v).kind == ValueTime::Kind::unknown) {
      for (const ValueId o : n.outputs)
        if (o != kNoValue) values_[static_cast<size_t>(o)].kind = ValueTime::Kind::unknown;
      return;
    }
    if (time(v).kind == ValueTime::Kind::last || (!any && streamed(v))) return refuse(n, "has terms along the axis");
  }
  if (n.op->kind() == kControlFlow) {
    if (any || last) return refuse(n, "is a branch or loop over a part of the axis");
    for (const ValueId v : n.outputs)
      for (const Dim d : v == kNoValue ? SymDims() : graph_.value(v).type.dims)
        if (grows(d)) return refuse(n, "gives a tensor as long as the axis");
    return;
  }
  if (!any) {
    const bool spreads = n.op->kind() == OpKind::expand;
    if (spreads) return expand(n);
    if (!dims_follow(n, {})) return;
    bool axis = false;
    for (const ValueId v : n.inputs) axis |= v != kNoValue && time(v).axis >= 0 && time(v).kind == ValueTime::Kind::fixed;
    if (axis) {
      // Equal elements along the axis stay equal under functions of single elements.
      if (n.op->kind() == OpKind::unary || n.op->kind() == OpKind::cast) {
        values_[static_cast<size_t>(n.outputs[0])] = in(n, 0);
        return;
      }
      return refuse(n, "reads a tensor that is as long as the axis and does not come with it");
    }
    for (const ValueId v : n.outputs)
      for (const Dim d : v == kNoValue ? SymDims() : graph_.value(v).type.dims)
        if (grows(d)) return refuse(n, "gives a tensor as long as the axis");
    if (last)
      for (const ValueId v : n.outputs)
        if (v != kNoValue) values_[static_cast<size_t>(v)].kind = ValueTime::Kind::last;
    return;
  }
  by_kind(n);
  if (!n.post_inputs.empty() && refused_[static_cast<size_t>(n.id)] == 0) terms(n);
}

// Operands of post-ops are joined with the result, which does not wait for them.
void AxisWalk::terms(const Node& n) {
  const NodeTime& t = time(n);
  const size_t count = n.post_inputs.size() - (n.quantization ? static_cast<size_t>(n.quantization->tensor_count()) : 0);
  for (size_t i = 0; i < n.post_inputs.size(); ++i) {
    const ValueId v = n.post_inputs[i];
    const int axis = t.axis - rank(n.outputs[0]) + rank(v);
    if (!streamed(v)) {
      if (axis >= 0 && i < count && !dim(v, axis).is(1)) return refuse(n, "joins the axis with a tensor of one length");
      continue;
    }
    const bool placed = t.way == NodeTime::Way::copied || t.way == NodeTime::Way::window || t.way == NodeTime::Way::transposed;
    if (i >= count || !placed || time(v).axis != axis) return refuse(n, "has scales or terms along the axis");
    bool ok = true;
    const int32_t joined = lines_.join({t.line, time(v).line}, Graph::label(n), &ok);
    if (!ok || !lines_.same(joined, t.line)) return refuse(n, "has a term that comes later than its sum");
    if (!lines_.same(time(v).line, t.line)) add_reader(v, t.line, true);
  }
}

void AxisWalk::by_kind(const Node& n) {
  switch (n.op->kind()) {
    case OpKind::unary:
    case OpKind::cast: return single(n, in(n, 0).axis);
    case OpKind::binary:
    case OpKind::where: return elementwise(n);
    case OpKind::matmul: return matmul(n);
    case OpKind::convolution: return convolution(n);
    case OpKind::conv_transpose: return conv_transpose(n);
    case OpKind::pooling: return pooling(n);
    case OpKind::softmax:
    case OpKind::layer_norm:
    case OpKind::topk:
    case OpKind::tile:
    case OpKind::arg_reduce:
    case OpKind::reduce: return reduce(n);
    case OpKind::reshape: return reshape(n);
    case OpKind::transpose: return transpose(n);
    case OpKind::concat: return concat(n);
    case OpKind::slice: return slice(n);
    case OpKind::pad: return pad(n);
    case OpKind::expand: return expand(n);
    case OpKind::gather: return gather(n);
    case OpKind::resize: return resize(n);
    case OpKind::recurrent: return recurrent(n);
    case OpKind::cumsum: return running_sum(n);
    case OpKind::depth_to_space: return depth_to_space(n);
    case OpKind::attention: return attention(n);
    case OpKind::quantization_range: return refuse(n, "takes the range of all numbers of the axis");
    default: return refuse(n, "has no rule for chunks");
  }
}

}  // namespace anydim
