// SPDX-License-Identifier: Apache-2.0
// Strings in the walk over a model: which nodes may have them, and which values hold some; see texts.h.
#include "onnx/model_import.h"

#include <algorithm>

#include "core/base/utf8.h"
#include "onnx/schemas.h"
#include "onnx/tensor_data.h"

namespace anydim::onnx {

Status ModelImport::check_texts(const NodeProto& node, std::span<const ValueId> inputs, const Scope& scope) {
  for (const std::string_view name : node.input)
    if (texts_.maps_of(name) != nullptr)
      return unimplemented("{}: its input '{}' is a sequence of maps, which only the caller can read", NodeImport::label(node),
                           shown(name));
  if (texts_.empty()) return {};
  size_t texts = 0, known = 0;
  const auto is_text = [&](size_t i) {
    return i < inputs.size() && inputs[i] != kNoValue && texts_.find(*scope.graph, inputs[i]).has_value();
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    if (is_text(i)) ++texts, known += texts_.find(*scope.graph, inputs[i]) == Texts::Known::all ? 1 : 0;
  if (texts == 0) return {};
  const TextUse use = text_use(node.domain, node.op_type);
  if (use == TextUse::none) return unimplemented("{}: it reads strings, which is not supported", NodeImport::label(node));
  if (use == TextUse::compared && texts != 2)
    return error(Code::invalid_model, "{}: it compares strings with numbers", NodeImport::label(node));
  if (use == TextUse::compared && known == 0 && !texts_.views()) return texts_.require_views().at(NodeImport::label(node));
  if (use != TextUse::moved) return {};
  const bool branches = node.op_type == "Where", all = node.op_type == "Concat";
  const size_t first = branches ? 1 : 0, end = branches ? 3 : all ? inputs.size() : 1;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] != kNoValue && is_text(i) != (i >= first && i < end))
      return error(Code::invalid_model, "{}: input {} {}", NodeImport::label(node), i, is_text(i) ? "holds strings" : "holds no strings");
  return {};
}

Status ModelImport::add_map_input(const ValueInfo& v, Scope* scope) {
  const std::string where = formatted("input '{}'", shown(v.name));
  const Result<DType> dtype = dtype_of(v.type.element_type);
  if (!dtype.ok() || (*dtype != DType::f32 && *dtype != DType::f64 && *dtype != DType::i64))
    return unimplemented("{} is a map to {}; expected float, double or int64", where, element_type_name(v.type.element_type));
  Texts::Keys keys;
  bool found = false;
  for (const NodeProto& node : model_.graph.node) {
    if (std::ranges::find(node.input, v.name) == node.input.end()) continue;
    if (node.domain != kLearnedDomain || node.op_type != "DictVectorizer")
      return unimplemented("{} is a map, which DictVectorizer reads and {} does not", where, NodeImport::label(node));
    NodeImport n(*scope->graph, node, 1, {}, nullptr, bytes_, &external_);
    Texts::Keys own{n.integers("int64_vocabulary"), n.texts("string_vocabulary")};
    if (!n.ok()) return n.take_status();
    if (own.integers.empty() == own.texts.empty())
      return error(Code::invalid_model, "{}: it has {} int64_vocabulary and {} string_vocabulary; expected one of both",
                   NodeImport::label(node), own.integers.size(), own.texts.size());
    if (found && (own.integers != keys.integers || own.texts != keys.texts))
      return unimplemented("{} is a map that is read by two vocabularies", where);
    for (const std::string_view key : own.texts)
      if (!valid_utf8(key)) return unimplemented("{}: a key is not valid UTF-8: '{}'", NodeImport::label(node), shown(key));
    keys = std::move(own);
    found = true;
  }
  if (!found) return unimplemented("{} is a map, and no DictVectorizer reads it", where);
  const int64_t count = static_cast<int64_t>(std::max(keys.integers.size(), keys.texts.size()));
  const DeclaredDim dims[] = {{1, ""}, {count, ""}};
  scope->values.emplace(v.name, scope->graph->add_input(std::string(v.name), *dtype, dims));
  texts_.add_map_input(v.name, std::move(keys));
  return {};
}

Status ModelImport::add_heap_output(const ValueInfo& output, ValueId heap) {
  std::string name = formatted("{}{}", output.name, Texts::kHeapSuffix);
  if (std::ranges::find(model_.graph.output, name, &ValueInfo::name) != model_.graph.output.end())
    return unimplemented("the output '{}' has the name of the bytes of '{}'", name, shown(output.name));
  graph_.add_output(heap, name);
  texts_.add_view_output(output.name, std::move(name));
  return {};
}

void ModelImport::mark_texts(const NodeProto& node, std::span<const ValueId> inputs, std::span<const ValueId> outputs, const Scope& scope) {
  if (texts_.empty() || text_use(node.domain, node.op_type) != TextUse::moved) return;
  bool any = false, known = true;
  for (const ValueId v : inputs)
    if (const auto k = v != kNoValue ? texts_.find(*scope.graph, v) : std::nullopt) any = true, known = known && *k == Texts::Known::all;
  if (!any) return;
  ValueId heap = kNoValue;
  for (const ValueId v : inputs)
    if (v != kNoValue && texts_.heap_of(*scope.graph, v) != kNoValue) heap = texts_.heap_of(*scope.graph, v);
  for (const ValueId v : outputs) {
    if (v == kNoValue) continue;
    if (heap != kNoValue) texts_.mark_views(*scope.graph, v, heap);
    else texts_.mark(*scope.graph, v, known ? Texts::Known::all : Texts::Known::some);
  }
}

}  // namespace anydim::onnx
