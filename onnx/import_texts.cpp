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

namespace {

constexpr int64_t kMostKeys = int64_t{1} << 20;

// The keys that a node reads of a map.
Status read_keys(NodeImport& n, Texts::Keys* keys) {
  if (n.proto().op_type == "CastMap") {
    const bool dense = n.choice("map_form", "DENSE", {"DENSE", "SPARSE"}) == 0;
    const int64_t count = n.integer("max_map", 1);
    if (!n.ok()) return n.take_status();
    if (!dense && count < 1) return error(Code::invalid_model, "max_map is {}; expected 1 or more", count);
    if (!dense && count > kMostKeys) return unimplemented("max_map is {}; at most {}", count, kMostKeys);
    keys->every = dense;
    keys->count = dense ? 0 : count;
    return {};
  }
  keys->integers = n.integers("int64_vocabulary");
  keys->texts = n.texts("string_vocabulary");
  if (!n.ok()) return n.take_status();
  if (keys->integers.empty() == keys->texts.empty())
    return error(Code::invalid_model, "it has {} int64_vocabulary and {} string_vocabulary; expected one of both", keys->integers.size(),
                 keys->texts.size());
  for (const std::string_view key : keys->texts)
    if (!valid_utf8(key)) return unimplemented("a key is not valid UTF-8: '{}'", shown(key));
  return {};
}

}  // namespace

Status ModelImport::add_map_input(const ValueInfo& v, Scope* scope) {
  const std::string where = formatted("input '{}'", shown(v.name));
  const Result<DType> dtype = dtype_of(v.type.element_type);
  if (!dtype.ok() || (*dtype != DType::f32 && *dtype != DType::f64 && *dtype != DType::i64))
    return unimplemented("{} is a map to {}; expected float, double or int64", where, element_type_name(v.type.element_type));
  Texts::Keys keys;
  bool found = false;
  for (const NodeProto& node : model_.graph.node) {
    if (std::ranges::find(node.input, v.name) == node.input.end()) continue;
    if (node.domain != kLearnedDomain || (node.op_type != "DictVectorizer" && node.op_type != "CastMap"))
      return unimplemented("{} is a map, which DictVectorizer and CastMap read and {} does not", where, NodeImport::label(node));
    NodeImport n(*scope->graph, node, 1, {}, nullptr, bytes_, &external_);
    Texts::Keys own;
    ANYDIM_TRY(read_keys(n, &own).at(NodeImport::label(node)));
    if (found && own != keys) return unimplemented("{} is a map of which two nodes read different keys", where);
    keys = std::move(own);
    found = true;
  }
  if (!found) return unimplemented("{} is a map, and no DictVectorizer or CastMap reads it", where);
  const auto listed = static_cast<int64_t>(std::max(keys.integers.size(), keys.texts.size()));
  const DeclaredDim dims[] = {{1, ""}, {keys.every ? -1 : std::max(listed, keys.count), ""}};
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
