// SPDX-License-Identifier: Apache-2.0
// Walks a model: inputs, initializers, nodes in order, functions of the model and branches with a known condition
// inlined. What each operator means is in onnx/operators.
#include "onnx/walk/import.h"

#include <algorithm>
#include <new>
#include <numeric>

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

// --- what is missing ---------------------------------------------------------------------------------------------

// A branch of an If may never be taken: without `branches` what only they need is left out.
void ModelImport::collect_missing(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs, bool branches,
                                  Missing* missing) {
  // A body whose order cannot be determined is refused when it is imported; here all of it counts.
  Result<std::vector<size_t>> needed = needed_nodes(nodes, outputs, names_read_);
  std::vector<size_t> wanted = needed.ok() ? *std::move(needed) : std::vector<size_t>(nodes.size());
  if (!needed.ok()) std::iota(wanted.begin(), wanted.end(), size_t{0});
  for (const size_t i : wanted) {
    const NodeProto& node = nodes[i];
    if (is_host(node)) continue;
    if (const FunctionProto* f = function_of(node)) {
      if (missing->seen.insert(f).second) collect_missing(f->node, f->output, branches, missing);
      continue;
    }
    if (!is_control(node) && find_composite_operator(node) == nullptr && find_importer(node.domain, node.op_type) == nullptr) {
      std::string op = is_standard(node.domain) ? shown(node.op_type) : formatted("{}.{}", shown(node.domain), shown(node.op_type));
      if (missing->counts.empty()) missing->first = formatted("node {}: operator {} is not supported", NodeImport::label(node), op);
      ++missing->counts[std::move(op)];
    }
    if (is_if(node) && !branches) continue;
    for (const Attribute& a : node.attribute)
      if (a.graph != nullptr) collect_missing(a.graph->node, names_of(a.graph->output), branches, missing);
  }
}

std::string ModelImport::Missing::list() const {
  std::string list;
  constexpr size_t kMostListed = 50;
  size_t listed = 0;
  for (const auto& [op, count] : counts) {
    if (++listed > kMostListed) {
      list += formatted(" and {} more", counts.size() - kMostListed);
      break;
    }
    list += formatted("{}{} ({})", listed > 1 ? ", " : "", op, count);
  }
  if (const auto op = counts.lower_bound("com.microsoft.nchwc."); op != counts.end() && op->first.starts_with("com.microsoft.nchwc."))
    list +=
        "; ONNX Runtime writes com.microsoft.nchwc into models that it saves after optimising them for one kind of processor: load the "
        "model as it was before, or save it with optimisations up to ORT_ENABLE_EXTENDED";
  return list;
}

Status ModelImport::check_supported(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs) {
  Missing certain, all;
  collect_missing(nodes, outputs, false, &certain);
  if (certain.counts.empty()) return {};
  collect_missing(nodes, outputs, true, &all);
  return unimplemented("{}; all that this model uses and that is missing, with counts: {}", certain.first, all.list());
}

// --- values --------------------------------------------------------------------------------------------------------

Status ModelImport::find_value(std::string_view name, Scope* scope, ValueId* out) {
  if (const auto v = scope->values.find(name); v != scope->values.end()) {
    *out = v->second;
    return {};
  }
  if (const auto u = scope->unsupported.find(name); u != scope->unsupported.end()) return unimplemented("{}", u->second);
  if (const auto i = scope->initializers.find(name); i != scope->initializers.end()) {
    if (i->second->data_type == kString) {
      Result<ConstantPtr> strings = strings_.constant(*i->second);
      if (!strings.ok()) return std::move(strings.status()).at(formatted("initializer '{}'", shown(name)));
      *out = scope->graph->add_constant(std::string(name), *std::move(strings));
      strings_.mark(*scope->graph, *out, ModelStrings::Known::all);
      scope->values.emplace(name, *out);
      return {};
    }
    Result<TensorValue> t = read_tensor(*i->second, bytes_, &external_);
    if (!t.ok()) return std::move(t.status()).at(formatted("initializer '{}'", shown(name)));
    *out = scope->graph->add_constant(std::string(name), t->constant());
    // Kept where it was found, so that every use is of the same constant.
    scope->values.emplace(name, *out);
    return {};
  }
  if (const auto i = scope->sparse.find(name); i != scope->sparse.end()) {
    Result<ConstantPtr> t = read_sparse_tensor(*i->second, bytes_, &external_);
    if (!t.ok()) return std::move(t.status()).at(formatted("initializer '{}'", shown(name)));
    *out = scope->graph->add_constant(std::string(name), *std::move(t));
    scope->values.emplace(name, *out);
    return {};
  }
  if (scope->outer == nullptr) return error(Code::invalid_model, "'{}' is made by no node, input or initializer", shown(name));
  ANYDIM_TRY(find_value(name, scope->outer, out));
  if (scope->border != nullptr) {
    *out = bring_inside(*scope, *out);
    scope->values.emplace(name, *out);
  }
  return {};
}

Status ModelImport::check_declared(const ValueInfo& output, ValueId value, const Graph& graph) {
  const TypeProto& type = output.type;
  // Whoever calls has to know what the numbers stand for.
  const auto known = strings_in(graph, value);
  if (known) {
    if (type.element_type != kString || (!is_composite(value) && type.kind != TypeProto::Kind::tensor))
      return unimplemented("output '{}' holds strings; expected that it is declared with element type string", shown(output.name));
    if (&graph == &graph_ && *known != ModelStrings::Known::all && !strings_.views())
      return strings_.require_views().at(formatted("output '{}'", shown(output.name)));
    if (!is_composite(value)) return {};
  }
  if (const bool maps = strings_.maps_of(output.name) != nullptr; maps || type.kind == TypeProto::Kind::sequence) {
    if (maps && type.kind == TypeProto::Kind::sequence && &graph == &graph_) return {};
    if (maps) return error(Code::invalid_model, "output '{}' is a sequence of maps, which it is not declared to be", shown(output.name));
  }
  if (type.kind == TypeProto::Kind::none || (type.kind == TypeProto::Kind::tensor && type.element_type == kUndefined)) return {};
  if (is_composite(value)) {
    const Composite& c = composites_.at(value);
    if (type.kind != (c.kind == Composite::Kind::sequence ? TypeProto::Kind::sequence : TypeProto::Kind::optional))
      return error(Code::invalid_model, "output '{}' is declared to be something else than {}, which it is", shown(output.name), c.name());
    const Result<DType> declared = dtype_of(type.element_type);
    const bool dtype_is_known = c.kind == Composite::Kind::sequence && c.dtype != DType::none && type.element_type != kUndefined;
    if (dtype_is_known && !known && !(declared.ok() && *declared == c.dtype))
      return error(Code::invalid_model, "output '{}' is declared with element type {}; its tensors have dtype {}", shown(output.name),
                   element_type_name(type.element_type), dtype_name(c.dtype));
    return {};
  }
  const char* const found = dtype_name(graph.value(value).type.dtype);
  if (type.kind != TypeProto::Kind::tensor)
    return error(Code::invalid_model, "output '{}' is declared to be no tensor; it is one of {}", shown(output.name), found);
  const Result<DType> declared = dtype_of(type.element_type);
  if (declared.ok() && *declared == graph.value(value).type.dtype) return {};
  return error(Code::invalid_model, "output '{}' is declared with element type {}; its dtype is {}", shown(output.name),
               declared.ok() ? std::string(dtype_name(*declared)) : std::string(element_type_name(type.element_type)), found);
}

Status ModelImport::add_initializers(const GraphProto& graph, Scope* scope) {
  for (const TensorProto& t : graph.initializer) {
    if (t.name.empty()) return error(Code::invalid_model, "an initializer has no name");
    if (!scope->initializers.emplace(t.name, &t).second)
      return error(Code::invalid_model, "two initializers are called '{}'", shown(t.name));
  }
  for (const SparseTensorProto& t : graph.sparse_initializer) {
    if (t.values.name.empty()) return error(Code::invalid_model, "a sparse initializer has no name");
    if (scope->initializers.count(t.values.name) > 0 || !scope->sparse.emplace(t.values.name, &t).second)
      return error(Code::invalid_model, "two initializers are called '{}'", shown(t.values.name));
  }
  return {};
}

Status ModelImport::add_inputs(Scope* scope) {
  std::set<std::string_view> seen;
  for (const ValueInfo& v : model_.graph.input) {
    const std::string where = formatted("input '{}'", shown(v.name));
    if (v.name.empty()) return error(Code::invalid_model, "a graph input has no name");
    if (!seen.insert(v.name).second) return error(Code::invalid_model, "two inputs are called '{}'", shown(v.name));
    // Before IR version 4 every initializer is listed as an input too. Later that makes it a default that callers may
    // replace; here it is a constant all the same.
    // A type that no caller could feed refuses the model all the same.
    if (const auto constant = scope->initializers.find(v.name); constant != scope->initializers.end()) {
      const bool tensor = v.type.kind == TypeProto::Kind::tensor;
      if (Result<DType> dtype = dtype_of(v.type.element_type); tensor && !dtype.ok()) return std::move(dtype.status()).at(where);
      if (tensor && v.type.element_type != constant->second->data_type)
        return error(Code::invalid_model, "{} is declared with element type {}; its initializer has {}", where,
                     element_type_name(v.type.element_type), element_type_name(constant->second->data_type));
      continue;
    }
    if (scope->sparse.count(v.name) > 0) continue;
    if (Status s = add_input(v, scope); !s.ok()) {
      if (!refuse(&s)) return s;
      scope->unsupported.emplace(v.name, "");
    }
  }
  return {};
}

Status ModelImport::add_input(const ValueInfo& v, Scope* scope) {
  using Kind = TypeProto::Kind;
  const TypeProto& type = v.type;
  const std::string where = formatted("input '{}'", shown(v.name));
  if (type.kind == Kind::none) return error(Code::invalid_model, "{} has no type", where);
  // Of parts of other programs' graphs, values that are no tensors stay there.
  const bool composite = strings_.allowed() && (type.kind == Kind::sequence || type.kind == Kind::optional);
  if (composite &&
      (type.holds == Kind::tensor || (type.kind == Kind::optional && type.holds == Kind::sequence && type.inner == Kind::tensor)))
    return add_composite_input(v, scope);
  if (type.kind == Kind::map && strings_.allowed()) return add_map_input(v, scope);
  if (type.kind != Kind::tensor)
    return unimplemented("{} is of another type than expected: a tensor, a sequence or optional of tensors, or a map", where);
  ValueId value = kNoValue;
  ANYDIM_TRY(add_tensor_input(v.name, type, false, -1, scope, &value).at(where));
  scope->values.emplace(v.name, value);
  return {};
}

Status ModelImport::add_string_input(std::string_view name, ValueId value, Scope* scope) {
  if (!strings_.views()) {
    strings_.mark(*scope->graph, value, ModelStrings::Known::some);
    strings_.add_input(name);
    return {};
  }
  std::string bytes = formatted("{}{}", name, ModelStrings::kHeapSuffix);
  if (std::ranges::find(model_.graph.input, bytes, &ValueInfo::name) != model_.graph.input.end())
    return unimplemented("the input '{}' has the name of the bytes of '{}'", bytes, shown(name));
  const DeclaredDim dims[] = {{-1, ""}};
  strings_.mark_views(*scope->graph, value, scope->graph->add_input(bytes, DType::u8, dims));
  strings_.add_view_input(name, std::move(bytes));
  return {};
}

Status ModelImport::add_tensor_input(std::string_view name, const TypeProto& type, bool slices, int rank, Scope* scope, ValueId* out) {
  const bool strings = type.element_type == kString && strings_.allowed();
  Result<DType> dtype = strings ? Result<DType>(DType::i64) : dtype_of(type.element_type);
  if (!dtype.ok()) return dtype.take_status();
  if (!type.has_shape && rank < 0) return unimplemented("it declares no rank; it must be known");
  const size_t declared_rank = type.has_shape ? type.shape.size() : static_cast<size_t>(rank);
  if (rank >= 0 && declared_rank != static_cast<size_t>(rank))
    return error(Code::invalid_argument, "it is given with rank {}; the model declares {}", rank, declared_rank);
  if (declared_rank + (slices ? 1 : 0) > static_cast<size_t>(kMaxRank))
    return unimplemented("it has rank {}; at most {}", declared_rank, kMaxRank - (slices ? 1 : 0));
  std::vector<DeclaredDim> declared;
  if (slices) declared.push_back({-1, ""});
  for (size_t i = 0; i < declared_rank; ++i) {
    const Dimension d = type.has_shape ? type.shape[i] : Dimension{};
    if (d.has_value && d.value >= kMaxSize) return error(Code::invalid_model, "it has a dim of {}", d.value);
    // The elements of a sequence may each have a size of the same name.
    const bool named = !d.has_value && type.kind != TypeProto::Kind::sequence && type.holds != TypeProto::Kind::sequence;
    declared.push_back({d.has_value && d.value >= 0 ? d.value : -1, std::string(named ? d.param : "")});
  }
  *out = scope->graph->add_input(std::string(name), *dtype, declared);
  return strings ? add_string_input(name, *out, scope) : Status();
}

// --- nodes ---------------------------------------------------------------------------------------------------------

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
  const std::string where = NodeImport::label(node);
  impossible_ = false;
  if (++imported_ > kMostNodes) return unimplemented("the model unfolds into more than {} nodes", kMostNodes);
  std::vector<ValueId> inputs(node.input.size(), kNoValue);
  for (size_t i = 0; i < node.input.size(); ++i)
    if (!node.input[i].empty()) ANYDIM_TRY(find_value(node.input[i], scope, &inputs[i]).at(where));

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

  const Importer* importer = find_importer(node.domain, node.op_type);
  if (importer == nullptr) return error(Code::internal, "{}: no importer", where);
  int64_t opset = 0;
  ANYDIM_TRY(opset_of(*scope, node.domain, &opset).at(where));
  if (opset < kOldestOpset || opset > kNewestOpset)
    return unimplemented("{}: opset {} is not supported; {} to {} are", where, opset, kOldestOpset, kNewestOpset);
  if (node.domain == kLearnedDomain && opset > kNewestLearned)
    return unimplemented("{}: version {} of {} is not supported; 1 to {} are", where, opset, kLearnedDomain, kNewestLearned);
  if (opset < importer->since)
    return error(Code::invalid_model, "{}: the model imports opset {}; the operator exists since {}", where, opset, importer->since);
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
  for (size_t i = 0; i < node.output.size(); ++i) {
    if (node.output[i].empty()) continue;
    const ValueId v = n.outputs()[i];
    if (v == kNoValue) {  // exporters name outputs that nobody uses
      scope->unsupported.emplace(node.output[i], formatted("{}: its output {} is not supported", where, i));
      continue;
    }
    // An input that is handed through keeps its name.
    Value& made = scope->graph->value(v);
    if (made.producer != kNoNode && made.users.empty()) made.name = std::string(node.output[i]);
    if (!scope->values.emplace(node.output[i], v).second)
      return error(Code::invalid_model, "{}: its output '{}' is also an input of the graph or function", where, shown(node.output[i]));
  }
  return {};
}

Status ModelImport::list_nodes(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs, const Scope& scope,
                               std::vector<const NodeProto*>* list) {
  for (const NodeProto& node : nodes)
    for (const std::string_view name : node.output)
      if (scope.has_initializer(name))
        return error(Code::invalid_model, "{}: its output '{}' is also an initializer", NodeImport::label(node), shown(name));
  Result<std::vector<size_t>> order = needed_nodes(nodes, outputs, names_read_);
  if (!order.ok()) return order.take_status();
  for (const size_t i : *order) list->push_back(&nodes[i]);
  return {};
}

Status ModelImport::import_body(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs, Scope* scope) {
  std::vector<const NodeProto*> list;
  ANYDIM_TRY(list_nodes(nodes, outputs, *scope, &list));
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
  if (Result<std::vector<size_t>> order = needed_nodes(model_.graph.node, outputs, names_read_); !order.ok()) return order.take_status();
  if (Status s = check_supported(model_.graph.node, outputs); !s.ok()) {
    misses_operators_ = true;
    if (!refuse(&s)) return s;
  }
  ANYDIM_TRY(read_sequences());
  ANYDIM_TRY(add_inputs(&scope));
  for (const auto& [name, option] : sequence_options_)
    if (!option.used)
      return error(Code::not_found, "the model has no input '{}' that is a sequence or optional", name).about("options.sequences");
  ANYDIM_TRY(import_body(model_.graph.node, outputs, &scope));
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
