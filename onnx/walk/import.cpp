// SPDX-License-Identifier: Apache-2.0
// Walks a model: its nodes in order, functions inlined, then its outputs. What names stand for is in values.cpp, what each operator means
// in onnx/operators.
#include "onnx/walk/import.h"

#include <algorithm>
#include <new>

#include "core/base/memory/out_of_memory.h"
#include "onnx/walk/model_import.h"
#include "onnx/walk/operators.h"
#include "onnx/format/reader.h"
#include "onnx/format/schemas.h"

namespace anydim::onnx {

std::vector<std::string_view> names_of(const std::vector<ValueInfo>& values) {
  std::vector<std::string_view> names;
  for (const ValueInfo& v : values) names.push_back(v.name);
  return names;
}

Status ModelImport::opset_of(const Scope& scope, std::string_view domain, int64_t* version) const {
  for (const OperatorSetId& o : *scope.opsets)
    if (o.domain == domain || (is_standard(o.domain) && is_standard(domain))) {
      *version = o.version;
      return {};
    }
  if (domain == kMicrosoftDomain) {  // optimised models lack it; it has one version
    *version = 1;
    return {};
  }
  return error(Code::invalid_model, "the model imports no opset for domain '{}'", shown(domain));
}

const FunctionProto* ModelImport::function_of(const NodeProto& node) const {
  const std::string_view domain = is_standard(node.domain) ? std::string_view{} : node.domain;
  const auto found = functions_.find({domain, node.op_type, node.overload});
  return found == functions_.end() ? nullptr : found->second;
}

Status ModelImport::call(const FunctionProto& f, const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope) {
  const std::string where = NodeImport::label(node);
  if (++depth_ > kDeepestCall) return error(Code::invalid_model, "{}: functions call one another too deeply", where);
  if (inputs.size() > f.input.size() || node.output.size() > f.output.size())
    return error(Code::invalid_model, "{}: {} inputs and {} outputs; the function has {} and {}", where, inputs.size(), node.output.size(),
                 f.input.size(), f.output.size());
  Bindings bindings;
  for (const Attribute& a : f.attribute_default) bindings[a.name] = &a;
  for (const Attribute& a : node.attribute) {
    const Attribute* value = &a;
    if (!a.reference.empty()) {
      const auto found = scope->bindings ? scope->bindings->find(a.reference) : Bindings::const_iterator{};
      if (scope->bindings == nullptr || found == scope->bindings->end()) continue;
      value = found->second;
    }
    bindings[a.name] = value;
  }
  Scope inner;
  inner.graph = scope->graph;
  inner.opsets = f.opset_import.empty() ? scope->opsets : &f.opset_import;
  inner.bindings = &bindings;
  inner.repeats = scope->repeats;
  for (size_t i = 0; i < f.input.size(); ++i) inner.values[f.input[i]] = i < inputs.size() ? inputs[i] : kNoValue;
  std::vector<std::string_view> outputs(f.output.begin(), f.output.begin() + static_cast<ptrdiff_t>(node.output.size()));
  ANYDIM_TRY(import_body(f.node, outputs, &inner).at(where));
  for (size_t i = 0; i < node.output.size(); ++i) {
    if (node.output[i].empty()) continue;
    ValueId v = kNoValue;
    ANYDIM_TRY(find_value(outputs[i], &inner, &v).at(where));
    scope->values[node.output[i]] = v;
  }
  --depth_;
  return {};
}

Status ModelImport::import_node(const NodeProto& node, Scope* scope) {
  impossible_ = false;
  if (++imported_ > kMostNodes) return unimplemented("the model unfolds into more than {} nodes", kMostNodes);
  std::vector<ValueId> inputs(node.input.size(), kNoValue);
  for (size_t i = 0; i < node.input.size(); ++i)
    if (!node.input[i].empty())
      if (Status s = find_value(node.input[i], scope, &inputs[i]); !s.ok()) return std::move(s).at(NodeImport::label(node));

  if (is_host(node)) {
    ANYDIM_TRY(check_strings(node, inputs, *scope));
    ANYDIM_TRY(tensors_only(node, inputs));
    return import_host(node, inputs, scope);
  }
  if (const FunctionProto* f = function_of(node)) return call(*f, node, inputs, scope);
  ANYDIM_TRY(check_strings(node, inputs, *scope));
  if (is_control(node)) return import_control(node, inputs, scope);
  if (const CompositeOperator* op = find_composite_operator(node)) return import_composite(*op, node, inputs, scope);
  if (node.op_type == "Identity" && is_standard(node.domain) && inputs.size() == 1 && is_composite(inputs[0]))
    return take_results(node, inputs, inputs, scope);
  ANYDIM_TRY(tensors_only(node, inputs));

  return import_operator(node, inputs, scope);
}

Status ModelImport::import_operator(const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope) {
  const auto where = [&] { return NodeImport::label(node); };
  const Importer* importer = find_importer(node.domain, node.op_type);
  if (importer == nullptr) return error(Code::internal, "{}: no importer", where());
  int64_t opset = 0;
  if (Status s = opset_of(*scope, node.domain, &opset); !s.ok()) return std::move(s).at(where());
  if (opset < kOldestOpset || opset > kNewestOpset)
    return unimplemented("{}: opset {} is not supported; {} to {} are", where(), opset, kOldestOpset, kNewestOpset);
  if (node.domain == kLearnedDomain && opset > kNewestLearned)
    return unimplemented("{}: version {} of {} is not supported; 1 to {} are", where(), opset, kLearnedDomain, kNewestLearned);
  if (opset < importer->since)
    return error(Code::invalid_model, "{}: the model imports opset {}; the operator exists since {}", where(), opset, importer->since);
  NodeImport n(*scope->graph, node, opset, inputs, scope->bindings, bytes_, &external_);
  n.in_loop = scope->repeats;
  n.all_strings = &strings_;
  check_schema(n, inputs);
  const StringUse use = strings_.empty() ? StringUse::none : string_use(node.domain, node.op_type);
  ValueId heap = kNoValue;
  if (n.ok() && use == StringUse::moved) heap = n.share_heap_of_inputs();
  const bool views = use == StringUse::compared && (n.holds_views(0) || n.holds_views(1));
  const bool fits_schema = n.ok();
  if (n.ok()) views ? import_string_equal(n) : importer->function(n);
  if (!n.ok()) {
    Status s = n.take_status();
    impossible_ = fits_schema && s.code() == Code::invalid_model;
    return s;
  }
  mark_strings(node, inputs, n.outputs(), *scope);
  if (heap != kNoValue)
    for (const ValueId v : n.outputs())
      if (v != kNoValue) strings_.mark_views(*scope->graph, v, heap);
  return name_results(node, n.outputs(), scope);
}

Status ModelImport::name_results(const NodeProto& node, std::span<const ValueId> results, Scope* scope) {
  const auto where = [&] { return NodeImport::label(node); };
  for (size_t i = 0; i < node.output.size(); ++i) {
    if (node.output[i].empty()) continue;
    const ValueId v = results[i];
    if (v == kNoValue) {  // exporters name outputs that nobody uses
      scope->unsupported.emplace(node.output[i], formatted("{}: its output {} is not supported", where(), i));
      continue;
    }
    // An input that is handed through keeps its name.
    Value& made = scope->graph->value(v);
    if (made.producer != kNoNode && made.users.empty()) made.name = std::string(node.output[i]);
    if (!scope->values.emplace(node.output[i], v).second)
      return error(Code::invalid_model, "{}: its output '{}' is also an input of the graph or function", where(), shown(node.output[i]));
  }
  return {};
}

Status ModelImport::list_nodes(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs, const Scope& scope,
                               std::vector<const NodeProto*>* list, const std::vector<size_t>* known) {
  for (const NodeProto& node : nodes)
    for (const std::string_view name : node.output)
      if (scope.has_initializer(name))
        return error(Code::invalid_model, "{}: its output '{}' is also an initializer", NodeImport::label(node), shown(name));
  Result<std::vector<size_t>> found = known ? Result<std::vector<size_t>>(*known) : needed_nodes(nodes, outputs, names_read_);
  if (!found.ok()) return found.take_status();
  list->reserve(found->size());
  for (const size_t i : *found) list->push_back(&nodes[i]);
  return {};
}

Status ModelImport::import_body(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs, Scope* scope,
                                const std::vector<size_t>* order) {
  std::vector<const NodeProto*> list;
  ANYDIM_TRY(list_nodes(nodes, outputs, *scope, &list, order));
  return import_nodes(list, outputs, scope);
}

Status ModelImport::import_nodes(std::span<const NodeProto* const> nodes, const std::vector<std::string_view>& outputs, Scope* scope) {
  for (size_t i = 0; i < nodes.size();) {
    const NodeProto& node = *nodes[i];
    split_ = nullptr;
    size_t imported = 1;
    if (scope == main_ && cannot_be_asked(node, *scope)) {
      stand_in(node, "", scope);
      ++i;
      continue;
    }
    if (const NodeProto* branch = ranks_as_if(node, nodes.size() - i - 1, scope)) {
      std::vector<const NodeProto*> rest(nodes.begin() + static_cast<std::ptrdiff_t>(i), nodes.end());
      rest[0] = branch;
      const size_t guards = scope->graph->guards.size();
      Status s = import_node(*branch, scope);
      if (!s.ok() && split_ == branch) s = import_split_if(rest, outputs, scope, &imported);
      if (s.ok()) {
        i += imported;
        continue;
      }
      if (scope->graph->guards.size() != guards) return s;  // one of its branches was chosen
      imported = 1;
    }
    Status s = import_node(node, scope);
    // Whatever reads what it gives may have to go into its branches.
    if (!s.ok() && split_ == &node) s = import_split_if(nodes.subspan(i), outputs, scope, &imported);
    if (!s.ok()) {
      s = std::move(s).in_node(NodeImport::name_of(node));
      // An If whose branches differ in rank took the nodes behind it into them.
      if (scope != main_ || split_ != nullptr || !refuse(&s)) return s;
      stand_in(node, "", scope);
      imported = 1;
    }
    i += imported;
  }
  return {};
}

Status ModelImport::begin(Scope* scope) {
  graph_.name = std::string(model_.graph.name);
  for (const Property& p : model_.metadata) graph_.metadata.emplace_back(p.first, p.second);
  for (const FunctionProto& f : model_.function) {
    const std::string_view domain = is_standard(f.domain) ? std::string_view{} : f.domain;
    if (!functions_.emplace(FunctionKey{domain, f.name, f.overload}, &f).second)
      return error(Code::invalid_model, "two functions are called {}.{}", shown(f.domain), shown(f.name));
  }
  scope->graph = &graph_;
  scope->opsets = &model_.opset_import;
  main_ = scope;
  return add_initializers(model_.graph, scope);
}

Status ModelImport::run() {
  Status status = import_all();
  return refusals_.empty() ? std::move(status) : listed();
}

Status ModelImport::import_all() {
  Scope scope;
  ANYDIM_TRY(begin(&scope));
  if (model_.graph.output.empty()) return error(Code::invalid_model, "the graph has no outputs");
  std::vector<std::string_view> outputs;
  std::set<std::string_view> seen;
  for (const ValueInfo& v : model_.graph.output) {
    if (v.name.empty()) return error(Code::invalid_model, "a graph output has no name");
    if (!seen.insert(v.name).second) return error(Code::invalid_model, "two outputs are called '{}'", shown(v.name));
    outputs.push_back(v.name);
  }
  // All that is missing is reported before anything else that might be wrong.
  Result<std::vector<size_t>> order = needed_nodes(model_.graph.node, outputs, names_read_);
  if (!order.ok()) return order.take_status();
  if (Status s = check_supported(model_.graph.node, *order); !s.ok()) {
    misses_operators_ = true;
    if (!refuse(&s)) return s;
  }
  scope.values.reserve(model_.graph.node.size() + model_.graph.initializer.size());
  ANYDIM_TRY(read_sequences());
  ANYDIM_TRY(add_inputs(&scope));
  for (const auto& [name, option] : sequence_options_)
    if (!option.used)
      return error(Code::not_found, "the model has no input '{}' that is a sequence or optional", name).about("options.sequences");
  ANYDIM_TRY(import_body(model_.graph.node, outputs, &scope, &*order));
  if (!refusals_.empty()) return {};
  for (const ValueInfo& output : model_.graph.output) {
    ValueId v = kNoValue;
    ANYDIM_TRY(find_value(output.name, &scope, &v).at("graph output"));
    ANYDIM_TRY(check_declared(output, v, graph_));
    if (is_composite(v)) {
      ANYDIM_TRY(add_composite_output(output, v, seen));
      continue;
    }
    const auto rank = output_ranks_.find(output.name);
    ANYDIM_TRY(add_tensor_output(v, std::string(output.name), rank != output_ranks_.end() ? rank->second : Dim(-1)));
  }
  if (graph_.outputs().empty()) return unimplemented("the model gives empty sequences and optionals only");
  std::vector<std::string_view> inputs;
  for (const ValueInfo& v : model_.graph.input)
    if (!scope.has_initializer(v.name)) inputs.push_back(v.name);
  if (std::string border = strings_.border(inputs, outputs); !border.empty())
    graph_.metadata.emplace_back(ModelStrings::kMetadataKey, std::move(border));
  return {};
}

namespace {

// What `f` gives; what is thrown below it is a status, too.
template <class F> auto guarded(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc& e) {
    return status_of(e).at("loading the model");
  } catch (const std::exception& e) {
    return error(Code::internal, "loading the model: {}", e.what());
  }
}

Result<Graph> imported(const ModelProto& model, const Bytes& bytes, const ImportOptions& options, bool whole) {
  {
    ModelImport import(model, bytes, options, whole);
    Status status = import.run();
    if (status.ok()) return import.take();
    if (!import.views_required()) return status;
  }
  ModelImport import(model, bytes, options, whole, true);
  ANYDIM_TRY(import.run());
  return import.take();
}

}  // namespace

Result<Graph> import_model(const Bytes& bytes, const ImportOptions& options) {
  return guarded([&]() -> Result<Graph> {
    Result<ModelProto> model = read_model(bytes.view);
    if (!model.ok()) return model.take_status();
    return imported(*model, bytes, options, true);
  });
}

Result<Graph> import_model(const ModelProto& model, const Bytes& bytes, const ImportOptions& options) {
  return guarded([&] { return imported(model, bytes, options, true); });
}

Result<Graph> import_model(const ModelProto& model) {
  return guarded([&] { return imported(model, {}, {}, false); });
}

}  // namespace anydim::onnx
