// SPDX-License-Identifier: Apache-2.0
// The operators with bodies: what all of them share, If and Loop; Scan is in scan.cpp. A branch whose condition is known is taken now and
// is no branch any more.
#include <algorithm>

#include "onnx/walk/model_import.h"
#include "onnx/format/schemas.h"

namespace anydim::onnx {
namespace {

// Whether a tensor has one element, as far as its dims determine.
bool may_be_single(const TensorType& type) {
  return std::all_of(type.dims.begin(), type.dims.end(), [](Dim d) { return !d.is_number() || d.is(1); });
}

// Of an input of a body; 0 where it declares none.
int declared_rank(const GraphProto& body, size_t input) {
  const TypeProto& type = body.input[input].type;
  return type.has_shape ? static_cast<int>(type.shape.size()) : 0;
}

}  // namespace

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
  ANYDIM_TRY(check_supported(body.node, wanted_nodes(body.node, outputs)));
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
  ANYDIM_TRY(check_supported(branch->node, wanted_nodes(branch->node, outputs)).at(where));
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
    if (a.graph != nullptr) collect_missing(a.graph->node, wanted_nodes(a.graph->node, names_of(a.graph->output)), true, &missing);
  if (!missing.counts.empty()) {
    Missing all;
    collect_missing(model_.graph.node, wanted_nodes(model_.graph.node, names_of(model_.graph.output)), true, &all);
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

// What a loop is given besides its body's nodes. `where`: the node, for messages.
Status ModelImport::read_loop(const GraphProto& body, const std::vector<ValueId>& inputs, size_t outputs, const std::string& where,
                              const Graph& graph, LoopParts* to) const {
  LoopParts& parts = *to;
  const size_t carried = inputs.size() > 2 ? inputs.size() - 2 : 0;
  if (body.input.size() != carried + 2)
    return error(Code::invalid_model, "{}: its body has {} inputs; expected {}, of which {} are carried", where, body.input.size(),
                 carried + 2, carried);
  if (body.output.size() < carried + 1 || body.output.size() - 1 < outputs)
    return error(Code::invalid_model, "{}: its body has {} outputs; expected {} at least", where, body.output.size(),
                 std::max(carried, outputs) + 1);
  ANYDIM_TRY(declared_type(body, 0, DType::i64).at(where));
  ANYDIM_TRY(declared_type(body, 1, DType::boolean).at(where));
  for (size_t i = 0; i < 2; ++i)
    if (declared_rank(body, i) > 1)
      return error(Code::invalid_model, "{}: input {} of its body has rank {}; expected 0", where, i, declared_rank(body, i));
  parts.iteration_rank = declared_rank(body, 0);
  parts.names.emplace_back(body.input[0].name);
  for (size_t k = 0; k < carried; ++k) {
    parts.initial.push_back(inputs[k + 2]);
    parts.names.emplace_back(body.input[k + 2].name);
    ANYDIM_TRY(declared_type(body, k + 2, graph.value(inputs[k + 2]).type.dtype, holds_strings(graph, inputs[k + 2])).at(where));
  }
  parts.stacks.resize(body.output.size() - 1 - carried);
  for (size_t s = 0; s < parts.stacks.size(); ++s) parts.stacks[s].declared = declared_dims(body.output[1 + carried + s]);
  return {};
}

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
  ANYDIM_TRY(read_loop(*body, inputs, node.output.size(), where, graph, &parts));
  const WriteBody write = [&](Border& border, std::span<const ValueId> values, std::vector<ValueId>* results) -> Status {
    Scope inner = scope->of_body(&border);
    inner.repeats = true;
    // Whenever the body runs, the condition is true.
    const uint8_t yes = 1;
    std::vector<ValueId> all(values.begin(), values.end());
    const Dims dims = Dims::filled(declared_rank(*body, 1), 1);
    all.insert(all.begin() + 1,
               border.inner().add_constant(std::string(body->input[1].name), ConstantTensor::copy(DType::boolean, dims, &yes)));
    ANYDIM_TRY(import_inside(*body, all, &inner, results).at(where));
    if (parts.condition != kNoValue) return {};
    const ShapeValues& goes_on = inner.graph->value((*results)[0]).shape_values;
    if (goes_on.known && goes_on.elements.size() == 1 && goes_on.elements[0].is_number() && goes_on.elements[0].number() != 0) return {};
    return unimplemented("{}: it has no condition, but its body gives one that may be false: ONNX ignores that one and runtimes do not",
                         where);
  };
  auto made = add_string_loop(node, *scope, parts, strings_declared(*body, 1 + parts.initial.size()), write);
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

}  // namespace anydim::onnx
