// SPDX-License-Identifier: Apache-2.0
// Strings in the walk over a model: which nodes may have them, and which values hold some; see texts.h.
#include "onnx/model_import.h"

namespace anydim::onnx {

Status ModelImport::check_texts(const NodeProto& node, std::span<const ValueId> inputs, const Scope& scope) const {
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
  if (use == TextUse::compared && known == 0)
    return unimplemented("{}: it compares strings of which none is known before a run", NodeImport::label(node));
  if (use != TextUse::moved) return {};
  const bool branches = node.op_type == "Where", all = node.op_type == "Concat";
  const size_t first = branches ? 1 : 0, end = branches ? 3 : all ? inputs.size() : 1;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] != kNoValue && is_text(i) != (i >= first && i < end))
      return error(Code::invalid_model, "{}: input {} {}", NodeImport::label(node), i, is_text(i) ? "holds strings" : "holds no strings");
  return {};
}

void ModelImport::mark_texts(const NodeProto& node, std::span<const ValueId> inputs, std::span<const ValueId> outputs, const Scope& scope) {
  if (texts_.empty() || text_use(node.domain, node.op_type) != TextUse::moved) return;
  bool any = false, known = true;
  for (const ValueId v : inputs)
    if (const auto k = v != kNoValue ? texts_.find(*scope.graph, v) : std::nullopt) any = true, known = known && *k == Texts::Known::all;
  if (!any) return;
  for (const ValueId v : outputs)
    if (v != kNoValue) texts_.mark(*scope.graph, v, known ? Texts::Known::all : Texts::Known::some);
}

}  // namespace anydim::onnx
