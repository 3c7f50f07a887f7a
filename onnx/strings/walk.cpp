// SPDX-License-Identifier: Apache-2.0
// Strings in the walk over a model: which nodes may have them, and which values hold some; see strings.h.
#include "onnx/walk/model_import.h"

#include <algorithm>

#include "core/base/text/utf8.h"
#include "onnx/format/schemas.h"
#include "onnx/format/tensor_data.h"

namespace anydim::onnx {

Status ModelImport::check_strings(const NodeProto& node, std::span<const ValueId> inputs, const Scope& scope) {
  for (const std::string_view name : node.input)
    if (strings_.maps_of(name) != nullptr)
      return unimplemented("{}: its input '{}' is a sequence of maps, which only the caller can read", NodeImport::label(node),
                           shown(name));
  if (strings_.empty()) return {};
  size_t strings = 0, known = 0, first_string = 0;
  const auto is_string = [&](size_t i) {
    return i < inputs.size() && inputs[i] != kNoValue && strings_.find(*scope.graph, inputs[i]).has_value();
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    if (is_string(i))
      first_string = strings++ == 0 ? i : first_string, known += strings_.find(*scope.graph, inputs[i]) == ModelStrings::Known::all ? 1 : 0;
  if (strings == 0) return {};
  const StringUse use = string_use(node.domain, node.op_type);
  if (use == StringUse::none)
    return unimplemented("{}: input {}, '{}', holds strings; expected numbers", NodeImport::label(node), first_string,
                         shown(node.input[first_string]));
  if (use == StringUse::compared && strings != 2)
    return error(Code::invalid_model, "{}: it compares strings with numbers", NodeImport::label(node));
  if (use == StringUse::compared && known == 0 && !strings_.views()) return strings_.require_views().at(NodeImport::label(node));
  if (use != StringUse::moved) return {};
  const bool branches = node.op_type == "Where", all = node.op_type == "Concat";
  const size_t first = branches ? 1 : 0, end = branches ? 3 : all ? inputs.size() : 1;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] != kNoValue && is_string(i) != (i >= first && i < end))
      return error(Code::invalid_model, "{}: input {} {}", NodeImport::label(node), i, is_string(i) ? "holds strings" : "holds no strings");
  return {};
}

namespace {

constexpr int64_t kMostKeys = int64_t{1} << 20;

// The keys that a node reads of a map.
Status read_keys(NodeImport& n, ModelStrings::Keys* keys) {
  if (n.proto().op_type == "CastMap") {
    const bool dense = n.choice("map_form", "DENSE", {"DENSE", "SPARSE"}) == 0;
    const int64_t count = n.integer("max_map", 1);
    if (!n.ok()) return n.take_status();
    if (!dense && count < 1) return error(Code::invalid_model, "max_map is {}; expected 1 or more", count);
    if (!dense && count > kMostKeys) return unimplemented("max_map is {}; at most {}", count, kMostKeys);
    // A row of strings has the text of a number, or as in ONNX Runtime "0.f", where the map has no such key.
    if (!dense) keys->fill = n.choice("cast_to", "TO_FLOAT", {"TO_FLOAT", "TO_STRING", "TO_INT64"}) == 1 ? "0.f" : "0";
    keys->every = dense;
    keys->count = dense ? 0 : count;
    return {};
  }
  keys->integers = n.integers("int64_vocabulary");
  keys->strings = n.strings("string_vocabulary");
  if (!n.ok()) return n.take_status();
  if (keys->integers.empty() == keys->strings.empty())
    return error(Code::invalid_model, "it has {} int64_vocabulary and {} string_vocabulary; expected one of both", keys->integers.size(),
                 keys->strings.size());
  for (const std::string_view key : keys->strings)
    if (!valid_utf8(key)) return unimplemented("a key is not valid UTF-8: '{}'", shown(key));
  return {};
}

}  // namespace

Status ModelImport::add_map_input(const ValueInfo& v, Scope* scope) {
  const std::string where = formatted("input '{}'", shown(v.name));
  const bool strings = v.type.element_type == kString;
  const Result<DType> dtype = dtype_of(v.type.element_type);
  if (!strings && (!dtype.ok() || (*dtype != DType::f32 && *dtype != DType::f64 && *dtype != DType::i64)))
    return unimplemented("{} is a map to {}; expected float, double, int64 or string", where, element_type_name(v.type.element_type));
  ModelStrings::Keys keys;
  bool found = false;
  for (const NodeProto& node : model_.graph.node) {
    if (std::ranges::find(node.input, v.name) == node.input.end()) continue;
    if (node.domain != kLearnedDomain || (node.op_type != "DictVectorizer" && node.op_type != "CastMap"))
      return unimplemented("{} is a map, which DictVectorizer and CastMap read and {} does not", where, NodeImport::label(node));
    NodeImport n(*scope->graph, node, 1, {}, nullptr, bytes_, &external_);
    ModelStrings::Keys own;
    ANYDIM_TRY(read_keys(n, &own).at(NodeImport::label(node)));
    if (found && own != keys) return unimplemented("{} is a map of which two nodes read different keys", where);
    keys = std::move(own);
    found = true;
  }
  if (!found) return unimplemented("{} is a map, and no DictVectorizer or CastMap reads it", where);
  const auto listed = static_cast<int64_t>(std::max(keys.integers.size(), keys.strings.size()));
  const DeclaredDim dims[] = {{1, ""}, {keys.every ? -1 : std::max(listed, keys.count), ""}};
  const ValueId value = scope->graph->add_input(std::string(v.name), strings ? DType::i64 : *dtype, dims);
  scope->values.emplace(v.name, value);
  if (strings) ANYDIM_TRY(add_string_input(v.name, value, scope));
  strings_.add_map_input(v.name, std::move(keys));
  return {};
}

Status ModelImport::add_tensor_output(ValueId value, std::string name, Dim rank) {
  graph_.add_output(value, name, rank);
  if (!holds_strings(graph_, value)) return {};
  const ValueId heap = strings_.heap_of(graph_, value);
  if (heap == kNoValue) return strings_.add_output(std::move(name)), Status();
  std::string bytes = formatted("{}{}", name, ModelStrings::kHeapSuffix);
  if (std::ranges::find(model_.graph.output, bytes, &ValueInfo::name) != model_.graph.output.end())
    return unimplemented("the output '{}' has the name of the bytes of '{}'", bytes, shown(name));
  graph_.add_output(heap, bytes);
  strings_.add_view_output(std::move(name), std::move(bytes));
  return {};
}

std::optional<ModelStrings::Known> ModelImport::strings_in(const Graph& graph, ValueId value) const {
  if (!is_composite(value)) return strings_.find(graph, value);
  const Composite& c = composites_.at(value);
  std::optional<ModelStrings::Known> known = c.strings ? std::optional(ModelStrings::Known::all) : std::nullopt;
  const auto look = [&](ValueId part) {
    const auto found = part != kNoValue ? strings_in(graph, part) : std::nullopt;
    if (found && known != ModelStrings::Known::some) known = found;
  };
  for (const ValueId part : c.parts) look(part);
  look(c.stacked);
  return known;
}

void ModelImport::mark_strings(const NodeProto& node, std::span<const ValueId> inputs, std::span<const ValueId> outputs,
                               const Scope& scope) {
  if (strings_.empty() || string_use(node.domain, node.op_type) != StringUse::moved) return;
  bool any = false, known = true;
  for (const ValueId v : inputs)
    if (const auto k = v != kNoValue ? strings_.find(*scope.graph, v) : std::nullopt)
      any = true, known = known && *k == ModelStrings::Known::all;
  if (!any) return;
  ValueId heap = kNoValue;
  for (const ValueId v : inputs)
    if (v != kNoValue && strings_.heap_of(*scope.graph, v) != kNoValue) heap = strings_.heap_of(*scope.graph, v);
  for (const ValueId v : outputs) {
    if (v == kNoValue) continue;
    if (heap != kNoValue) strings_.mark_views(*scope.graph, v, heap);
    else strings_.mark(*scope.graph, v, known ? ModelStrings::Known::all : ModelStrings::Known::some);
  }
}

}  // namespace anydim::onnx
