// SPDX-License-Identifier: Apache-2.0
// Writing the graph of a chunk; see chunk_graph.h.
#include "core/graph/streaming/chunk_graph.h"

#include <algorithm>

#include "core/ops/operators/attention.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/expand.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/recurrent.h"
#include "core/ops/operators/shape_tensor.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/where.h"

namespace anydim {

namespace {
using What = StreamingPlan::Number::What;
using Way = NodeTime::Way;
}  // namespace

Status ChunkGraph::write() {
  graph_.dims = whole_.dims;
  graph_.name = whole_.name;
  graph_.metadata = whole_.metadata;
  graph_.constant_budget = whole_.constant_budget;
  for (const Guard& g : whole_.guards)
    if (!walk_.grows(g.condition)) graph_.guards.push_back(g);
  now_.assign(static_cast<size_t>(whole_.value_count()), kNoValue);
  made_.assign(plan_.lines.size(), 0);
  has_made_.assign(plan_.lines.size(), 0);
  plan_.inputs.clear();
  plan_.outputs.clear();
  plan_.model_inputs = whole_.inputs().size();
  for (const ValueId v : whole_.inputs()) {
    TensorType type = whole_.value(v).type;
    const ValueTime& t = walk_.time(v);
    if (t.kind == ValueTime::Kind::streamed) {
      plan_.inputs.push_back({whole_.value(v).input, t.axis, 0});
      if (has_made_[0] == 0) {
        const int64_t most = plan_.most_chunk > 0 ? plan_.most_chunk : kMaxSize;
        made_[0] = graph_.dims.symbol("chunk", {.min = 0, .max = most});
        has_made_[0] = 1;
      }
      type.dims[t.axis] = made_[0];
    }
    now_[static_cast<size_t>(v)] = graph_.add_input(whole_.value(v).name, type);
  }
  // Carries come next, in the order in which readers were found: both graphs have them in the same places.
  for (size_t r = 0; r < walk_.readers().size(); ++r) {
    const AxisWalk::Reader& reader = walk_.readers()[r];
    if (!reader.carried || carries_.count(reader.value) != 0) continue;
    const auto c = static_cast<int32_t>(carries_.size());
    carries_[reader.value] = c;
  }
  for (const ValueId v : whole_.inputs()) ANYDIM_TRY(finish(v));
  for (const NodeId id : whole_.order()) {
    const Node& n = whole_.node(id);
    if (Status s = write_node(n); !s.ok()) return std::move(s).at("a chunk's graph");
  }
  for (const GraphOutput& o : whole_.outputs()) {
    const ValueTime& t = walk_.time(o.value);
    const bool streamed = t.kind == ValueTime::Kind::streamed;
    plan_.outputs.push_back({static_cast<int32_t>(plan_.outputs.size()), streamed ? t.axis : -1, streamed ? t.line : -1});
    ValueId v = now_[static_cast<size_t>(o.value)];
    if (v == kNoValue) v = graph_.add_constant(o.name, whole_.value(o.value).constant);
    graph_.add_output(v, o.name, o.rank);
  }
  for (size_t i = 0; i < outputs_.size(); ++i) graph_.add_output(outputs_[i], output_names_[i]);
  return {};
}

// --- numbers -----------------------------------------------------------------------------------------------------------

Dim ChunkGraph::number(Number::What what, int32_t of) {
  StreamingPlan::Numbers& all = edges_ ? plan_.edges : plan_.between;
  const Number wanted{what, of};
  for (const auto& [n, d] : numbers_)
    if (n == wanted) return d;
  int64_t fixed = 0;
  if (!edges_ && followed_.constant(wanted, &fixed)) {
    numbers_.emplace_back(wanted, fixed);
    return fixed;
  }
  if (free_.empty()) {
    all.inputs.push_back(static_cast<int32_t>(graph_.inputs().size()));
    const ValueId input = graph_.add_input(formatted("numbers.{}", all.inputs.size()), {DType::i64, {StreamingPlan::kNumbersOfInput}});
    const std::vector<Dim>& symbols = graph_.value(input).shape_values.elements;
    free_.assign(symbols.rbegin(), symbols.rend());
    for (const Dim d : free_) graph_.dims.set_promise(d.expr(), {.min = 0, .max = 0});
  }
  const Dim d = free_.back();
  free_.pop_back();
  graph_.dims.set_promise(d.expr(), {.min = 0, .max = followed_.most(wanted, edges_)});
  all.numbers.push_back(wanted);
  numbers_.emplace_back(wanted, d);
  return d;
}

// New elements of a line. Between the edges those of most lines are as many times those of another.
Dim ChunkGraph::made(int32_t line) {
  const auto l = static_cast<size_t>(line);
  if (has_made_[l] != 0) return made_[l];
  has_made_[l] = 1;
  if (!edges_) {
    for (int32_t other = 0; other < line; ++other) {
      int64_t times = 0;
      if (has_made_[static_cast<size_t>(other)] == 0 || !followed_.multiple(line, other, &times)) continue;
      return made_[l] = graph_.dims.mul(made_[static_cast<size_t>(other)], times);
    }
  }
  return made_[l] = number(What::made, line);
}

// --- what is read and carried --------------------------------------------------------------------------------------------

Result<ValueId> ChunkGraph::slice(ValueId v, int axis, Dim start, Dim length, const std::string& name) {
  const SymDims& d = graph_.value(v).type.dims;
  if (start.is(0) && graph_.dims.provably_equal(d[axis], length)) return v;
  SymDims starts = SymDims::filled(d.rank, Dim(0)), lengths = d;
  starts[axis] = start;
  lengths[axis] = length;
  auto op = Slice::make(starts, RankArray<int64_t>::filled(d.rank, 1), lengths);
  if (!op.ok()) return op.take_status();
  return graph_.add(*op, {v}, name, "Slice");
}

Result<ValueId> ChunkGraph::joined(ValueId a, ValueId b, int axis, const std::string& name) {
  auto op = Concat::make(axis);
  if (!op.ok()) return op.take_status();
  return graph_.add(*op, {a, b}, name, "Concat");
}

Status ChunkGraph::finish(ValueId v) {
  const auto carried = carries_.find(v);
  if (carried == carries_.end()) return {};
  const ValueTime& t = walk_.time(v);
  const auto c = static_cast<size_t>(carried->second);
  const std::string name = whole_.value(v).name;
  const ValueId now = now_[static_cast<size_t>(v)];
  TensorType type = graph_.value(now).type;
  int64_t held = 0;
  const bool fixed = !edges_ && followed_.constant({What::kept, carried->second}, &held);
  type.dims[t.axis] = fixed ? Dim(held) : graph_.dims.symbol(formatted("{}.held", name), {.min = 0, .max = plan_.carries[c].most});
  const auto input = static_cast<int32_t>(graph_.inputs().size());
  const ValueId history = graph_.add_input(formatted("{}.carried", name), type);
  auto window = joined(history, now, t.axis, formatted("{}.window", name));
  if (!window.ok()) return window.take_status();
  windows_[v] = *window;
  const Dim room = graph_.value(*window).type.dims[t.axis], kept = number(What::kept, carried->second);
  auto next = slice(*window, t.axis, graph_.dims.sub(room, kept), kept, formatted("{}.next", name));
  if (!next.ok()) return next.take_status();
  plan_.carries[c].axis = t.axis;
  (edges_ ? plan_.carries[c].edges_input : plan_.carries[c].between_input) = input;
  plan_.carries[c].output = static_cast<int32_t>(whole_.outputs().size() + outputs_.size());
  outputs_.push_back(*next);
  output_names_.push_back(formatted("{}.carried", name));
  return {};
}

Result<ValueId> ChunkGraph::part(const Node& n, ValueId v, int32_t reader, Dim length) {
  const StreamingPlan::Reader& r = plan_.readers[static_cast<size_t>(reader)];
  const ValueId from = r.carry >= 0 ? windows_.at(v) : now_[static_cast<size_t>(v)];
  const Dim first = number(What::first, reader);
  return slice(from, walk_.time(v).axis, first, length, formatted("{}.read.{}", n.name, whole_.value(v).name));
}

Result<ValueId> ChunkGraph::operand(const Node& n, ValueId v) {
  if (v == kNoValue) return kNoValue;
  const ValueTime& t = walk_.time(v);
  if (t.kind == ValueTime::Kind::streamed) {
    const int32_t line = walk_.time(n).line;
    if (const int32_t reader = walk_.reader(v, line, true); reader >= 0 && !walk_.lines().same(t.line, line))
      return part(n, v, reader, made(line));
  }
  return now_[static_cast<size_t>(v)];
}

Result<ValueId> ChunkGraph::state(const TensorType& type, const std::string& name) {
  const auto input = static_cast<int32_t>(graph_.inputs().size());
  const ValueId v = graph_.add_input(formatted("{}.state.{}", name, states_), type);
  if (states_ == plan_.states.size()) plan_.states.emplace_back();
  (edges_ ? plan_.states[states_].edges_input : plan_.states[states_].between_input) = input;
  return v;
}

void ChunkGraph::keep(ValueId next) {
  plan_.states[states_].output = static_cast<int32_t>(whole_.outputs().size() + outputs_.size());
  outputs_.push_back(next);
  output_names_.push_back(formatted("state.{}", states_));
  ++states_;
}

// --- nodes ---------------------------------------------------------------------------------------------------------------

// Dims that are the whole axis are what is new of it.
OperatorPtr ChunkGraph::with_length(const Node& n) const {
  const NodeTime& t = walk_.time(n);
  if (n.op->dim_attributes().empty()) return n.op;
  std::vector<Dim> dims(n.op->dim_attributes().begin(), n.op->dim_attributes().end());
  bool changed = false;
  for (Dim& d : dims)
    if (walk_.grows(d)) d = t.way == Way::spread ? Dim(1) : made_[static_cast<size_t>(t.line)], changed = true;
  return changed ? n.op->with_dim_attributes(dims) : n.op;
}

Status ChunkGraph::copy(const Node& n, std::vector<ValueId> inputs, OperatorPtr op, std::vector<ValueId>* out, Dim skip) {
  const NodeTime& t = walk_.time(n);
  const size_t terms = n.post_inputs.size() - (n.quantization ? static_cast<size_t>(n.quantization->tensor_count()) : 0);
  std::vector<ValueId> tensors;
  for (const ValueId v : n.post_inputs) {
    auto mine = operand(n, v);
    if (!mine.ok()) return mine.take_status();
    tensors.push_back(*mine);
  }
  auto made_node = graph_.insert_before(kNoNode, std::move(op), std::move(inputs), n.name, n.onnx_type, n.quantization,
                                        {tensors.begin() + static_cast<std::ptrdiff_t>(terms), tensors.end()});
  if (!made_node.ok()) return made_node.take_status();
  *out = *made_node;
  const NodeId id = graph_.value((*out)[0]).producer;
  graph_.node(id).mode = n.mode == MathMode::fast ? MathMode::strict : n.mode;
  size_t term = 0;
  for (const PostOp& step : n.post_ops) {
    ValueId tensor = kNoValue;
    if (step.takes_tensor()) {
      const ValueId v = n.post_inputs[term];
      tensor = tensors[term++];
      const SymDims result = graph_.value((*out)[0]).type.dims;
      if (walk_.time(v).kind == ValueTime::Kind::streamed && !graph_.dims.provably_equal(result[t.axis], made(t.line))) {
        const int rank = graph_.value(tensor).type.dims.rank, axis = t.axis - result.rank + rank;
        SymDims before = SymDims::filled(rank, Dim(0)), after = before;
        before[axis] = skip;
        after[axis] = graph_.dims.sub(graph_.dims.sub(result[t.axis], skip), made(t.line));
        auto pad = Pad::make(Pad::Mode::constant, before, after);
        if (!pad.ok()) return pad.take_status();
        auto padded_term = graph_.insert_before(id, *pad, {tensor}, formatted("{}.term", n.name), "Pad");
        if (!padded_term.ok()) return padded_term.take_status();
        tensor = (*padded_term)[0];
      }
    }
    if (!graph_.append_post_op(id, step, tensor)) return error(Code::internal, "node '{}' has no room for its post-ops", n.name);
  }
  return {};
}

Status ChunkGraph::write_node(const Node& n) {
  const NodeTime& t = walk_.time(n);
  if (t.line >= 0) made(t.line);
  const auto constant = [&](ValueId v) {  // of the whole, as they are met
    if (v != kNoValue && now_[static_cast<size_t>(v)] == kNoValue && whole_.value(v).constant)
      now_[static_cast<size_t>(v)] = graph_.add_constant(whole_.value(v).name, whole_.value(v).constant);
  };
  for (const ValueId v : n.inputs) constant(v);
  for (const ValueId v : n.post_inputs) constant(v);
  ValueId one = kNoValue;
  switch (t.way) {
    case Way::window: ANYDIM_TRY(window(n, &one)); break;
    case Way::transposed: ANYDIM_TRY(transposed(n, &one)); break;
    case Way::padded: ANYDIM_TRY(padded(n, &one)); break;
    case Way::cut: ANYDIM_TRY(cut(n, &one)); break;
    case Way::resized: ANYDIM_TRY(resized(n, &one)); break;
    case Way::summed: ANYDIM_TRY(summed(n, &one)); break;
    case Way::attended: ANYDIM_TRY(attended(n, &one)); break;
    case Way::last: ANYDIM_TRY(last(n, &one)); break;
    case Way::recurrent: return recurrent(n);
    case Way::spread:
    case Way::copied: {
      std::vector<ValueId> inputs;
      for (const ValueId v : n.inputs) {
        auto mine = operand(n, v);
        if (!mine.ok()) return mine.take_status();
        // A concat takes equal elements one by one, where others let them stretch.
        if (n.op->kind() == OpKind::concat && v != kNoValue && walk_.time(v).kind == ValueTime::Kind::fixed && walk_.time(v).axis >= 0) {
          SymDims dims = graph_.value(*mine).type.dims;
          dims[t.axis] = made(t.line);
          auto expand = Expand::make(dims);
          if (!expand.ok()) return expand.take_status();
          mine = graph_.add(*expand, {*mine}, n.name, "Expand");
          if (!mine.ok()) return mine.take_status();
        }
        inputs.push_back(*mine);
      }
      std::vector<ValueId> out;
      ANYDIM_TRY(copy(n, std::move(inputs), with_length(n), &out));
      for (size_t i = 0; i < n.outputs.size(); ++i) {
        if (n.outputs[i] == kNoValue) continue;
        now_[static_cast<size_t>(n.outputs[i])] = out[i];
        ANYDIM_TRY(finish(n.outputs[i]));
      }
      return {};
    }
  }
  now_[static_cast<size_t>(n.outputs[0])] = one;
  return finish(n.outputs[0]);
}

// --- states --------------------------------------------------------------------------------------------------------------

Status ChunkGraph::recurrent(const Node& n) {
  const auto& whole = static_cast<const Recurrent&>(*n.op);
  Recurrent::Attributes at = whole.get();
  const bool lstm = at.cell == Recurrent::Cell::lstm;
  at.cell_state = lstm;
  std::vector<ValueId> inputs;
  for (const ValueId v : n.inputs) {
    auto mine = operand(n, v);
    if (!mine.ok()) return mine.take_status();
    inputs.push_back(*mine);
  }
  inputs.resize(std::max(inputs.size(), size_t{Recurrent::kInitialCell} + 1), kNoValue);
  const TensorType& x = graph_.value(inputs[0]).type;
  const SymDims& r = graph_.value(inputs[Recurrent::kRecurrentWeights]).type.dims;
  const TensorType type{x.dtype, {r[0], x.dims[1], r[2]}};
  const size_t first = states_;
  for (int s = 0; s < (lstm ? 2 : 1); ++s) {
    const size_t i = s == 0 ? Recurrent::kInitialHidden : Recurrent::kInitialCell;
    states_ = first + static_cast<size_t>(s);
    auto before = state(type, n.name);
    if (!before.ok()) return before.take_status();
    ValueId begins = *before;
    if (edges_ && inputs[i] != kNoValue) {  // the first run begins with what the model says
      auto flag = graph_.add_shape_values(DType::boolean, Dims{1}, {number(What::fresh, 0)}, formatted("{}.fresh", n.name));
      if (!flag.ok()) return flag.take_status();
      auto where = Where::make({});
      if (!where.ok()) return where.take_status();
      auto chosen = graph_.add(*where, {*flag, inputs[i], begins}, formatted("{}.begins", n.name), "Where");
      if (!chosen.ok()) return chosen.take_status();
      begins = *chosen;
    }
    inputs[i] = begins;
  }
  states_ = first;
  auto op = Recurrent::make(std::move(at));
  if (!op.ok()) return op.take_status();
  std::vector<ValueId> out;
  ANYDIM_TRY(copy(n, std::move(inputs), *op, &out));
  keep(out[1]);
  if (lstm) keep(out[2]);
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    if (n.outputs[i] == kNoValue) continue;
    now_[static_cast<size_t>(n.outputs[i])] = out[i];
    ANYDIM_TRY(finish(n.outputs[i]));
  }
  return {};
}

Status ChunkGraph::summed(const Node& n, ValueId* out) {
  const NodeTime& t = walk_.time(n);
  const ValueId now = now_[static_cast<size_t>(n.inputs[0])];
  TensorType type = graph_.value(now).type;
  type.dims[t.axis] = 1;
  auto before = state(type, n.name);
  if (!before.ok()) return before.take_status();
  auto all = joined(*before, now, t.axis, formatted("{}.window", n.name));
  if (!all.ok()) return all.take_status();
  std::vector<ValueId> sums;
  ANYDIM_TRY(copy(n, {*all, now_[static_cast<size_t>(n.inputs[1])]}, n.op, &sums));
  auto next = slice(sums[0], t.axis, made(t.line), 1, formatted("{}.next", n.name));
  if (!next.ok()) return next.take_status();
  keep(*next);
  auto result = slice(sums[0], t.axis, 1, made(t.line), formatted("{}.new", n.name));
  if (!result.ok()) return result.take_status();
  *out = *result;
  return {};
}

Status ChunkGraph::last(const Node& n, ValueId* out) {
  const NodeTime& t = walk_.time(n);
  const ValueId now = now_[static_cast<size_t>(n.inputs[0])];
  TensorType type = graph_.value(now).type;
  type.dims[t.axis] = 1;
  auto before = state(type, n.name);
  if (!before.ok()) return before.take_status();
  auto all = joined(*before, now, t.axis, formatted("{}.window", n.name));
  if (!all.ok()) return all.take_status();
  auto next = slice(*all, t.axis, made(t.line), 1, formatted("{}.next", n.name));
  if (!next.ok()) return next.take_status();
  keep(*next);
  std::vector<ValueId> results, inputs{*next};
  OperatorPtr op = n.op;
  if (const auto* cut = as<Slice>(*n.op)) {
    SymDims starts, lengths;
    for (int a = 0; a < cut->rank(); ++a) {
      starts.push_back(a == t.axis ? Dim(0) : cut->start(a));
      lengths.push_back(cut->length(a));
    }
    lengths[t.axis] = 1;
    auto made_op = Slice::make(starts, cut->steps(), lengths);
    if (!made_op.ok()) return made_op.take_status();
    op = *made_op;
  } else {
    inputs.push_back(now_[static_cast<size_t>(n.inputs[1])]);
  }
  ANYDIM_TRY(copy(n, std::move(inputs), op, &results));
  *out = results[0];
  return {};
}

// --- attention -------------------------------------------------------------------------------------------------------------

Status ChunkGraph::attended(const Node& n, ValueId* out) {
  const NodeTime& t = walk_.time(n);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    if (i == Attention::kK || i == Attention::kV) {
      const int32_t reader = walk_.reader(n.inputs[i], t.line, false);
      auto read = part(n, n.inputs[i], reader, number(What::rest, reader));
      if (!read.ok()) return read.take_status();
      inputs.push_back(*read);
      continue;
    }
    auto mine = operand(n, n.inputs[i]);
    if (!mine.ok()) return mine.take_status();
    inputs.push_back(*mine);
  }
  inputs.resize(Attention::kInputs, kNoValue);
  const int32_t reader = walk_.reader(n.inputs[Attention::kK], t.line, false);
  const Dim batch = graph_.value(inputs[0]).type.dims[0];
  const auto per_example = [&](Dim d, const char* what) -> Result<ValueId> {
    auto one = graph_.add_shape_values(DType::i64, Dims{1}, {d}, formatted("{}.{}", n.name, what));
    if (!one.ok()) return one;
    auto expand = Expand::make(SymDims{batch});
    if (!expand.ok()) return expand.take_status();
    return graph_.add(*expand, {*one}, formatted("{}.{}", n.name, what), "Expand");
  };
  auto origins = per_example(number(What::origin, reader), "origins");
  if (!origins.ok()) return origins.take_status();
  inputs[Attention::kOrigins] = *origins;
  auto starts = per_example(number(What::position, t.line), "starts");
  if (!starts.ok()) return starts.take_status();
  inputs[Attention::kStarts] = *starts;
  std::vector<ValueId> results;
  ANYDIM_TRY(copy(n, std::move(inputs), n.op, &results));
  *out = results[0];
  return {};
}

}  // namespace anydim
