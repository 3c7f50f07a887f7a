// SPDX-License-Identifier: Apache-2.0
// The operators with bodies: If, Loop, Scan. A branch whose condition is known is taken now and is no branch any more.
#include <algorithm>

#include "onnx/walk/model_import.h"
#include "onnx/format/schemas.h"

namespace anydim::onnx {
namespace {

// Whether a tensor has one element, as far as its dims determine.
bool may_be_single(const TensorType& type) {
  return std::all_of(type.dims.begin(), type.dims.end(), [](Dim d) { return !d.is_number() || d.is(1); });
}

// What a body declares of an output, for where nothing runs.
Dims declared_dims(const ValueInfo& v) {
  Dims dims;
  if (v.type.kind != TypeProto::Kind::tensor || !v.type.has_shape || v.type.shape.size() > kMaxRank) return dims;
  int64_t count = 1;
  for (const Dimension& d : v.type.shape) {
    dims.push_back(d.has_value ? std::max<int64_t>(d.value, -1) : -1);
    count = saturating_mul(count, std::max<int64_t>(dims.back(), 1));
  }
  return count < kMaxSize ? dims : Dims{};
}

}  // namespace

// Which outputs of a body from `first` on are strings.
std::vector<bool> strings_declared(const GraphProto& body, size_t first) {
  std::vector<bool> strings;
  for (size_t i = first; i < body.output.size(); ++i) strings.push_back(body.output[i].type.element_type == kString);
  return strings;
}

ControlName control_name(const NodeProto& node) {
  std::string name(node.name);
  for (size_t i = 0; name.empty() && i < node.output.size(); ++i) name = std::string(node.output[i]);
  return {shown(name), std::string(node.op_type)};
}

Status ModelImport::body_of(const NodeProto& node, std::string_view name, BodyProto* out) const {
  for (const Attribute& a : node.attribute)
    if (a.name == name) *out = a.graph;
  return *out == nullptr ? error(Code::invalid_model, "{}: it has no {}", NodeImport::label(node), name) : Status();
}

// What a body declares of an input is read for its dtype only: its dims follow from what it is given.
Status ModelImport::declared_type(const GraphProto& body, size_t input, DType provided, bool text) const {
  const ValueInfo& v = body.input[input];
  if (v.type.kind == TypeProto::Kind::none) return {};
  if (v.type.kind != TypeProto::Kind::tensor)
    return unimplemented("input '{}' of its body is declared to be a sequence, optional or map, and given a tensor; expected a tensor",
                         shown(v.name));
  if (v.type.element_type == kUndefined) return {};
  if (text != (v.type.element_type == kString))
    return error(Code::invalid_model, "input '{}' of its body is {}; it is given {}", shown(v.name), element_type_name(v.type.element_type),
                 text ? "strings" : dtype_name(provided));
  if (text) return {};
  Result<DType> dtype = dtype_of(v.type.element_type);
  if (!dtype.ok()) return std::move(dtype.status()).at(formatted("input '{}' of its body", shown(v.name)));
  if (*dtype != provided)
    return error(Code::invalid_model, "input '{}' of its body is {}; it is given {}", shown(v.name), dtype_name(*dtype),
                 dtype_name(provided));
  return {};
}

Status ModelImport::import_inside(const GraphProto& body, std::span<const ValueId> values, Scope* scope, std::vector<ValueId>* results) {
  if (++depth_ > kDeepestCall) return error(Code::invalid_model, "bodies are nested too deeply");
  ANYDIM_TRY(add_initializers(body, scope));
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string_view name = body.input[i].name;
    if (name.empty()) return error(Code::invalid_model, "input {} of its body has no name", i);
    if (!scope->values.emplace(name, values[i]).second || scope->has_initializer(name))
      return error(Code::invalid_model, "two inputs or initializers of its body are called '{}'", shown(name));
  }
  const std::vector<std::string_view> outputs = names_of(body.output);
  ANYDIM_TRY(check_supported(body.node, outputs));
  ANYDIM_TRY(import_body(body.node, outputs, scope));
  results->clear();
  for (const ValueInfo& output : body.output) {
    ANYDIM_TRY(find_value(output.name, scope, &results->emplace_back(kNoValue)));
    if (results->back() == kNoValue)
      return error(Code::invalid_model, "output '{}' of its body is an input that was not given", shown(output.name));
    ANYDIM_TRY(check_declared(output, results->back(), *scope->graph).at("its body"));
  }
  --depth_;
  return {};
}

Status ModelImport::import_control(const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope) {
  const std::string where = NodeImport::label(node);
  int64_t opset = 0;
  ANYDIM_TRY(opset_of(*scope, node.domain, &opset).at(where));
  if (opset < kOldestOpset || opset > kNewestOpset)
    return unimplemented("{}: opset {} is not supported; {} to {} are", where, opset, kOldestOpset, kNewestOpset);
  std::vector<ValueId> tensors;
  for (const ValueId v : inputs) tensors.push_back(is_composite(v) ? kNoValue : v);
  NodeImport n(*scope->graph, node, opset, std::move(tensors), scope->bindings, bytes_, &external_);
  check_schema(n, inputs);
  if (!n.ok()) return n.take_status();
  if (node.op_type == "SequenceMap") return import_sequence_map(n, inputs, scope);
  for (size_t i = 0; i < std::min<size_t>(inputs.size(), is_if(node) ? 1 : node.op_type == "Loop" ? 2 : 0); ++i)
    if (holds_strings(*scope->graph, inputs[i])) return error(Code::invalid_model, "{}: input {} holds strings", where, i);
  // What a loop carries may be something else.
  const bool loop = node.op_type == "Loop";
  ANYDIM_TRY(tensors_only(
      node, {inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(loop ? std::min<size_t>(inputs.size(), 2) : inputs.size())}));
  if (is_if(node)) return import_if(node, inputs, scope);
  if (loop) return import_loop(node, inputs, scope);
  return opset < 9 ? import_batched_scan(n, inputs, scope) : import_scan(n, inputs, scope);
}

// --- If --------------------------------------------------------------------------------------------------------------

Status ModelImport::import_known_if(const NodeProto& node, bool taken, Scope* scope) {
  const std::string where = NodeImport::label(node);
  BodyProto branch;
  ANYDIM_TRY(body_of(node, taken ? "then_branch" : "else_branch", &branch));
  if (branch->output.size() < node.output.size())
    return error(Code::invalid_model, "{}: its {} has {} outputs; expected {}", where, taken ? "then_branch" : "else_branch",
                 branch->output.size(), node.output.size());
  Scope inner = scope->of_body(nullptr);
  if (++depth_ > kDeepestCall) return error(Code::invalid_model, "{}: branches are nested too deeply", where);
  ANYDIM_TRY(add_initializers(*branch, &inner).at(where));
  std::vector<std::string_view> outputs = names_of(branch->output);
  outputs.resize(node.output.size());
  ANYDIM_TRY(check_supported(branch->node, outputs).at(where));
  ANYDIM_TRY(import_body(branch->node, outputs, &inner).at(where));
  for (size_t i = 0; i < node.output.size(); ++i)
    if (!node.output[i].empty()) ANYDIM_TRY(find_value(outputs[i], &inner, &scope->values[node.output[i]]).at(where));
  --depth_;
  return {};
}

// One that fails because of an If of two ranks in it leaves nothing behind: it is imported again with what is behind it.
Status ModelImport::import_taken_if(const NodeProto& node, bool taken, Scope* scope) {
  Graph& graph = *scope->graph;
  const size_t nodes = graph.order().size(), guards = graph.guards.size(), reads = graph.size_reads().size();
  const int depth = depth_;
  Status s = import_known_if(node, taken, scope);
  if (s.ok() || split_ == nullptr) return s;
  split_ = graph.size_reads().size() == reads ? &node : nullptr;  // sizes that were read cannot be forgotten
  if (split_ == nullptr) return s;
  depth_ = depth;
  while (graph.order().size() > nodes) graph.erase_node(graph.order().back());
  graph.guards.erase(graph.guards.begin() + static_cast<std::ptrdiff_t>(guards), graph.guards.end());
  return s;
}

Status ModelImport::import_if(const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope) {
  const std::string where = NodeImport::label(node);
  if (inputs.size() != 1 || inputs[0] == kNoValue) return error(Code::invalid_model, "{}: no condition", where);
  const Value& condition = scope->graph->value(inputs[0]);
  if (!may_be_single(condition.type))
    return error(Code::invalid_model, "{}: its condition has dims {}; expected one element", where,
                 scope->graph->dims.text(condition.type.dims));
  if (condition.shape_values.known && condition.shape_values.elements.size() == 1 && condition.shape_values.elements[0].is_number())
    return import_taken_if(node, condition.shape_values.elements[0].number() != 0, scope);
  // Either may run: what both need is missing or not.
  Missing missing;
  for (const Attribute& a : node.attribute)
    if (a.graph != nullptr) collect_missing(a.graph->node, names_of(a.graph->output), true, &missing);
  if (!missing.counts.empty()) {
    Missing all;
    collect_missing(model_.graph.node, names_of(model_.graph.output), true, &all);
    return unimplemented(
        "{}: its condition is only known at run time, and its branches use what is missing: {}; all that is missing, with "
        "counts: {}",
        where, missing.first, all.list());
  }
  bool ranks_differ = false;  // or how sequences are made of tensors
  Status impossible;          // why the branch that was written last can never run
  bool then_fails = false;
  std::vector<ValueId> provided[2];  // of which branch 0 is the one that is taken
  const auto write = [&](std::string_view name) {
    return [&, name](Border& border, std::vector<ValueId>* results) -> Status {
      BodyProto branch;
      ANYDIM_TRY(body_of(node, name, &branch));
      if (branch->output.size() != node.output.size())
        return error(Code::invalid_model, "{}: its {} has {} outputs; expected {}", where, name, branch->output.size(), node.output.size());
      Scope inner = scope->of_body(&border);
      std::vector<ValueId>& mine = provided[name == "then_branch" ? 0 : 1];
      if (Status s = import_inside(*branch, {}, &inner, &mine); !s.ok()) {
        s = std::move(s).at(where);
        if (impossible_ && split_ == nullptr) impossible = s.copy();
        then_fails = &mine == &provided[0];
        return s;
      }
      results->clear();
      ANYDIM_TRY(take_apart(mine, results).at(where));
      if (results->empty() && !mine.empty()) return unimplemented("{}: its {} gives empty sequences and optionals only", where, name);
      for (size_t i = 0; &mine == &provided[1] && i < mine.size(); ++i)
        if (ranks_differ = !alike(provided[0][i], mine[i]); ranks_differ)
          return unimplemented("{}: output {} is a sequence or optional of different length in the two branches, or only in one", where, i);
      return {};
    };
  };
  const int depth = depth_;
  auto made = add_string_branch(node, *scope, inputs[0], write("then_branch"), write("else_branch"), &ranks_differ);
  // One in a branch takes along what is behind this one.
  if (ranks_differ || (!made.ok() && split_ != nullptr)) split_ = &node;
  if (!made.ok()) {
    depth_ = depth;
    // A branch that can never run is no error of a run that takes the other one.
    if (impossible.ok()) return made.take_status();
    if (!import_only_branch(node, inputs[0], !then_fails, impossible, scope).ok()) return impossible;
    return {};
  }
  return take_results(node, inputs, put_together(provided[0], *made), scope);
}

Status ModelImport::take_results(const NodeProto& node, const std::vector<ValueId>& inputs, const std::vector<ValueId>& made,
                                 Scope* scope) {
  for (size_t i = 0; i < node.output.size(); ++i) {
    if (node.output[i].empty()) continue;
    if (i >= made.size())
      return error(Code::invalid_model, "{}: {} outputs; it has {}", NodeImport::label(node), node.output.size(), made.size());
    // What a loop leaves as it is is not its own.
    if (!is_composite(made[i]) && std::find(inputs.begin(), inputs.end(), made[i]) == inputs.end())
      scope->graph->value(made[i]).name = std::string(node.output[i]);
    if (!scope->values.emplace(node.output[i], made[i]).second)
      return error(Code::invalid_model, "{}: its output '{}' is also an input of the graph or function", NodeImport::label(node),
                   shown(node.output[i]));
  }
  return {};
}

// --- Loop ------------------------------------------------------------------------------------------------------------

Status ModelImport::import_loop(const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope) {
  const std::string where = NodeImport::label(node);
  const Graph& graph = *scope->graph;
  BodyProto body;
  ANYDIM_TRY(body_of(node, "body", &body));
  LoopParts parts;
  parts.count = !inputs.empty() ? inputs[0] : kNoValue;
  parts.condition = inputs.size() > 1 ? inputs[1] : kNoValue;
  parts.has_condition = true;
  const auto single = [&](ValueId v, DType dtype, const char* what) -> Status {
    if (v == kNoValue) return {};
    const TensorType& type = graph.value(v).type;
    if (type.dtype == dtype && may_be_single(type)) return {};
    return error(Code::invalid_model, "{}: its {} is {}{}; expected one element of {}", where, what, dtype_name(type.dtype),
                 graph.dims.text(type.dims), dtype_name(dtype));
  };
  ANYDIM_TRY(single(parts.count, DType::i64, "trip count"));
  ANYDIM_TRY(single(parts.condition, DType::boolean, "condition"));
  const int depth = depth_;
  if (std::any_of(inputs.begin(), inputs.end(), is_composite)) {
    Status s = import_composite_loop(node, body, inputs, scope);
    if (s.ok() || !impossible_ || split_ != nullptr) return s;
    depth_ = depth;
    return import_idle_loop(node, body, inputs, std::move(s), scope);
  }
  const size_t carried = inputs.size() > 2 ? inputs.size() - 2 : 0;
  if (body->input.size() != carried + 2)
    return error(Code::invalid_model, "{}: its body has {} inputs; expected {}, of which {} are carried", where, body->input.size(),
                 carried + 2, carried);
  if (body->output.size() < carried + 1 || body->output.size() - 1 < node.output.size())
    return error(Code::invalid_model, "{}: its body has {} outputs; expected {} at least", where, body->output.size(),
                 std::max(carried, node.output.size()) + 1);
  ANYDIM_TRY(declared_type(*body, 0, DType::i64).at(where));
  ANYDIM_TRY(declared_type(*body, 1, DType::boolean).at(where));
  const auto rank_of = [&](size_t i) { return body->input[i].type.has_shape ? static_cast<int>(body->input[i].type.shape.size()) : 0; };
  for (size_t i = 0; i < 2; ++i)
    if (rank_of(i) > 1) return error(Code::invalid_model, "{}: input {} of its body has rank {}; expected 0", where, i, rank_of(i));
  parts.iteration_rank = rank_of(0);
  parts.names.emplace_back(body->input[0].name);
  for (size_t k = 0; k < carried; ++k) {
    parts.initial.push_back(inputs[k + 2]);
    parts.names.emplace_back(body->input[k + 2].name);
    ANYDIM_TRY(declared_type(*body, k + 2, graph.value(inputs[k + 2]).type.dtype, holds_strings(graph, inputs[k + 2])).at(where));
  }
  parts.stacks.resize(body->output.size() - 1 - carried);
  for (size_t s = 0; s < parts.stacks.size(); ++s) parts.stacks[s].declared = declared_dims(body->output[1 + carried + s]);
  const WriteBody write = [&](Border& border, std::span<const ValueId> values, std::vector<ValueId>* results) -> Status {
    Scope inner = scope->of_body(&border);
    inner.repeats = true;
    // Whenever the body runs, the condition is true.
    const uint8_t yes = 1;
    std::vector<ValueId> all(values.begin(), values.end());
    const Dims dims = Dims::filled(rank_of(1), 1);
    all.insert(all.begin() + 1,
               border.inner().add_constant(std::string(body->input[1].name), ConstantTensor::copy(DType::boolean, dims, &yes)));
    ANYDIM_TRY(import_inside(*body, all, &inner, results).at(where));
    if (parts.condition != kNoValue) return {};
    const ShapeValues& goes_on = inner.graph->value((*results)[0]).shape_values;
    if (goes_on.known && goes_on.elements.size() == 1 && goes_on.elements[0].is_number() && goes_on.elements[0].number() != 0) return {};
    return unimplemented("{}: it has no condition, but its body gives one that may be false: ONNX ignores that one and runtimes do not",
                         where);
  };
  auto made = add_string_loop(node, *scope, parts, strings_declared(*body, 1 + carried), write);
  if (!made.ok() && impossible_ && split_ == nullptr && inputs.size() >= 2) {
    depth_ = depth;
    return import_idle_loop(node, body, inputs, made.take_status(), scope);
  }
  if (!made.ok()) return made.take_status();
  return take_results(node, inputs, *made, scope);
}

Status ModelImport::import_idle_loop(const NodeProto& node, const BodyProto& body, const std::vector<ValueId>& inputs, Status why,
                                     Scope* scope) {
  Graph& graph = *scope->graph;
  Dim runs = 1;
  for (const size_t i : {size_t{0}, size_t{1}}) {  // how often at most, and whether at all
    if (inputs[i] == kNoValue) continue;
    if (!graph.value(inputs[i]).shape_values.known && i == 0 && !graph.read_content(inputs[i])) return why;
    const ShapeValues& content = graph.value(inputs[i]).shape_values;
    if (content.known && content.elements.size() == 1) runs = graph.dims.mul(runs, graph.dims.less(0, content.elements[0]));
  }
  if (runs.is(1)) return why;
  require_idle(runs, node, why, &graph);
  return unroll_loop(node, body, 0, inputs, scope);
}

void ModelImport::require_idle(Dim runs, const NodeProto& node, const Status& why, Graph* graph) {
  if (runs.is(0)) return;
  graph->add_guard(graph->dims.sub(1, runs), control_name(node).name,
                   formatted("it has no iteration, since its body fails: {}", why.message()));
}

// --- Scan ------------------------------------------------------------------------------------------------------------

namespace {

// Attributes of a Scan, its body and how many of its inputs are states.
struct ScanParts {
  BodyProto body;
  size_t states = 0, scanned = 0;
  std::vector<int64_t> input_axes, input_directions, output_axes, output_directions;
};

Status direction(const std::vector<int64_t>& directions, size_t i, const char* what, bool* reverse) {
  const int64_t d = directions.empty() ? 0 : directions[i];
  if (d != 0 && d != 1) return error(Code::invalid_model, "{}[{}] is {}; expected 0 or 1", what, i, d);
  *reverse = d == 1;
  return {};
}

Status read_scan(NodeImport& n, BodyProto body, size_t inputs, ScanParts* p) {
  const bool batched = n.opset() < 9;
  p->body = std::move(body);
  const int64_t scanned = n.integer("num_scan_inputs");
  p->input_axes = batched ? std::vector<int64_t>() : n.integers("scan_input_axes");
  p->input_directions = n.integers(batched ? "directions" : "scan_input_directions");
  if (!batched) {
    p->output_axes = n.integers("scan_output_axes");
    p->output_directions = n.integers("scan_output_directions");
  }
  if (!n.ok()) return n.take_status();
  if (scanned < 1 || static_cast<uint64_t>(scanned) > inputs)
    return error(Code::invalid_model, "num_scan_inputs is {}; expected 1 to {}", scanned, inputs);
  p->scanned = static_cast<size_t>(scanned);
  p->states = inputs - p->scanned;
  if (p->body->input.size() != inputs)
    return error(Code::invalid_model, "its body has {} inputs; expected {}", p->body->input.size(), inputs);
  if (p->body->output.size() < p->states)
    return error(Code::invalid_model, "its body has {} outputs; expected {} at least", p->body->output.size(), p->states);
  const size_t stacked = p->body->output.size() - p->states;
  const auto count = [](const std::vector<int64_t>& list, size_t wanted, const char* what) {
    if (list.empty() || list.size() == wanted) return Status();
    return error(Code::invalid_model, "{} has {} numbers; expected {}", what, list.size(), wanted);
  };
  ANYDIM_TRY(count(p->input_axes, p->scanned, "scan_input_axes"));
  ANYDIM_TRY(count(p->input_directions, p->scanned, batched ? "directions" : "scan_input_directions"));
  ANYDIM_TRY(count(p->output_axes, stacked, "scan_output_axes"));
  return count(p->output_directions, stacked, "scan_output_directions");
}

// The loop over the elements of `inputs`: states, then what is scanned.
Status scan_loop(const Graph& graph, const ScanParts& p, std::span<const ValueId> inputs, LoopParts* loop) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == kNoValue) return error(Code::invalid_model, "its input {} is absent", i);
    loop->names.emplace_back(p.body->input[i].name);
    if (i < p.states) {
      loop->initial.push_back(inputs[i]);
      continue;
    }
    const size_t k = i - p.states;
    LoopParts::Slice s{inputs[i], 0, false};
    Status axis = normalise_axis(p.input_axes.empty() ? 0 : p.input_axes[k], graph.value(inputs[i]).type.dims.rank,
                                 "its axis of what is scanned", &s.axis);
    if (!axis.ok()) return std::move(axis).as(Code::invalid_model);
    ANYDIM_TRY(direction(p.input_directions, k, "the direction of its inputs", &s.reverse));
    loop->slices.push_back(s);
  }
  for (size_t k = 0; k < p.body->output.size() - p.states; ++k) {
    Control::Stack s;
    s.axis = static_cast<int32_t>(std::clamp<int64_t>(p.output_axes.empty() ? 0 : p.output_axes[k], -kMaxRank - 1, kMaxRank));
    ANYDIM_TRY(direction(p.output_directions, k, "the direction of its outputs", &s.reverse));
    s.declared = declared_dims(p.body->output[p.states + k]);
    loop->stacks.push_back(s);
  }
  return {};
}

}  // namespace

Status ModelImport::import_scan(NodeImport& n, const std::vector<ValueId>& inputs, Scope* scope) {
  const NodeProto& node = n.proto();
  const std::string where = NodeImport::label(node);
  BodyProto body;
  ANYDIM_TRY(body_of(node, "body", &body));
  ScanParts scan;
  ANYDIM_TRY(read_scan(n, body, inputs.size(), &scan).at(where));
  LoopParts parts;
  ANYDIM_TRY(scan_loop(*scope->graph, scan, inputs, &parts).at(where));
  if (body->output.size() < node.output.size())
    return error(Code::invalid_model, "{}: its body has {} outputs; expected {}", where, body->output.size(), node.output.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DType provided = scope->graph->value(inputs[i]).type.dtype;
    ANYDIM_TRY(declared_type(*body, i, provided, holds_strings(*scope->graph, inputs[i])).at(where));
  }
  const WriteBody write = [&](Border& border, std::span<const ValueId> values, std::vector<ValueId>* results) -> Status {
    Scope inner = scope->of_body(&border);
    inner.repeats = true;
    return import_inside(*body, values, &inner, results).at(where);
  };
  const int depth = depth_;
  auto made = add_string_loop(node, *scope, parts, strings_declared(*body, scan.states), write);
  if (!made.ok() && impossible_ && split_ == nullptr) {
    depth_ = depth;
    const LoopParts::Slice& first = parts.slices[0];
    return import_idle_scan(n, *body, parts, {n.dims(first.value)[first.axis]}, inputs, made.take_status(), scope);
  }
  if (!made.ok()) return made.take_status();
  return take_results(node, inputs, *made, scope);
}

// `lengths` of what it stacks: along the stack's axis and, before all axes, along a batch.
Status ModelImport::import_idle_scan(NodeImport& n, const GraphProto& body, const LoopParts& parts, const std::vector<Dim>& lengths,
                                     const std::vector<ValueId>& inputs, Status why, Scope* scope) {
  Dim runs = 1;
  for (const Dim length : lengths) runs = n.pool().mul(runs, n.pool().less(0, length));
  if (runs.is(1)) return why;
  require_idle(runs, n.proto(), why, scope->graph);
  std::vector<ValueId> results = parts.initial;
  for (size_t k = results.size(); k < body.output.size(); ++k) {
    ValueId none = kNoValue;
    ANYDIM_TRY(empty_stack(body.output[k], scope->graph, &none).at(NodeImport::label(n.proto())));
    SymDims dims = n.dims(none);
    dims.erase(0);
    if (dims.rank + static_cast<int>(lengths.size()) > kMaxRank) return why;
    int axis = parts.stacks[k - parts.initial.size()].axis;
    if (axis < 0) axis += dims.rank + 1;
    if (axis < 0 || axis > dims.rank) return why;
    dims.insert(axis, lengths.back());
    if (lengths.size() > 1) dims.insert(0, lengths.front());
    results.push_back(n.reshape(none, dims));
    if (!n.ok()) return n.take_status();
    strings_.mark_like(*scope->graph, none, results.back());
  }
  return take_results(n.proto(), inputs, results, scope);
}

// Opset 8: a batch of scans, which is a loop of loops.
Status ModelImport::import_batched_scan(NodeImport& n, const std::vector<ValueId>& inputs, Scope* scope) {
  const NodeProto& node = n.proto();
  const std::string where = NodeImport::label(node);
  if (!inputs.empty() && inputs[0] != kNoValue) return unimplemented("{}: input 0 (sequence_lens) is given; expected none", where);
  BodyProto body;
  ANYDIM_TRY(body_of(node, "body", &body));
  ScanParts scan;
  ANYDIM_TRY(read_scan(n, body, inputs.empty() ? 0 : inputs.size() - 1, &scan).at(where));
  if (body->output.size() < node.output.size())
    return error(Code::invalid_model, "{}: its body has {} outputs; expected {}", where, body->output.size(), node.output.size());
  LoopParts batch;
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i] == kNoValue) return error(Code::invalid_model, "{}: its input {} is absent", where, i);
    const TensorType& type = scope->graph->value(inputs[i]).type;
    const int least = i <= scan.states ? 1 : 2;
    if (type.dims.rank < least)
      return error(Code::invalid_model, "{}: its input {} has rank {}; expected {} at least", where, i, type.dims.rank, least);
    ANYDIM_TRY(declared_type(*body, i - 1, type.dtype, holds_strings(*scope->graph, inputs[i])).at(where));
    batch.slices.push_back({inputs[i], 0, false});
  }
  batch.stacks.resize(body->output.size());
  for (size_t k = 0; k < batch.stacks.size(); ++k) {
    Dims& declared = batch.stacks[k].declared = declared_dims(body->output[k]);
    if (k >= scan.states && body->output[k].type.has_shape) declared.insert(0, -1);  // as long as the sequence
  }
  const WriteBody write_batch = [&](Border& outer, std::span<const ValueId> members, std::vector<ValueId>* results) -> Status {
    Scope middle = scope->of_body(&outer);
    middle.repeats = true;
    LoopParts parts;
    ANYDIM_TRY(scan_loop(*middle.graph, scan, members, &parts).at(where));
    const WriteBody write = [&](Border& border, std::span<const ValueId> values, std::vector<ValueId>* inside) -> Status {
      Scope inner = middle.of_body(&border);
      return import_inside(*body, values, &inner, inside).at(where);
    };
    auto made = add_string_loop(node, middle, parts, strings_declared(*body, scan.states), write);
    if (!made.ok()) return made.take_status();
    *results = *std::move(made);
    return {};
  };
  const int depth = depth_;
  auto made = add_string_loop(node, *scope, batch, strings_declared(*body, 0), write_batch);
  if (!made.ok() && impossible_ && split_ == nullptr) {
    depth_ = depth;
    batch.stacks.resize(body->output.size() - scan.states);  // states are given as they came
    for (size_t i = 1; i <= scan.states; ++i) batch.initial.push_back(inputs[i]);
    const SymDims scanned = n.dims(inputs[scan.states + 1]);
    return import_idle_scan(n, *body, batch, {scanned[0], scanned[1]}, inputs, made.take_status(), scope);
  }
  if (!made.ok()) return made.take_status();
  return take_results(node, inputs, *made, scope);
}

}  // namespace anydim::onnx
