// SPDX-License-Identifier: Apache-2.0
// What names stand for: a graph's inputs and initializers, and values of the graphs around it; what outputs are declared to be.
#include <algorithm>
#include <set>

#include "onnx/walk/model_import.h"

namespace anydim::onnx {

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
  scope->initializers.reserve(scope->initializers.size() + graph.initializer.size());
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

}  // namespace anydim::onnx
