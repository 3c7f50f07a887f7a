// SPDX-License-Identifier: Apache-2.0
// The comparison of a node with the row of its version; the rows are in schemas.cpp.
#include <algorithm>

#include "onnx/walk/node_import.h"
#include "onnx/format/schemas.h"

namespace anydim::onnx {
namespace {

// Calls f(name, required) for each attribute of a row.
template <class F> void each_attribute(const Schema& schema, const F& f) {
  for (std::string_view rest = schema.attributes; !rest.empty();) {
    std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    const bool required = word.ends_with('!');
    word.remove_suffix(required ? 1 : 0);
    f(word, required);
  }
}

std::string names_of(uint32_t set) {
  std::string list;
  for (int32_t t = 1; t <= kLastDType; ++t)
    if ((set >> t & 1) != 0) list += formatted("{}{}", list.empty() ? "" : ", ", dtype_name(static_cast<DType>(t)));
  return list;
}

void check_input_types(NodeImport& n) {
  const std::span<const InputTypesRow> all = all_input_types();
  const std::string_view op_type = n.proto().op_type;
  const auto row = std::ranges::lower_bound(all, op_type, {}, [](const InputTypesRow& r) { return text_of(r.op_type); });
  if (row == all.end() || text_of(row->op_type) != op_type) return;
  const std::string_view inputs = text_of(row->inputs);
  const size_t described = inputs.size() / 2;
  size_t first_of[10];  // by digit: the first input of that type
  std::ranges::fill(first_of, SIZE_MAX);
  for (size_t i = 0; i < n.input_count() && n.ok(); ++i) {
    if (!n.has(i)) continue;
    const size_t at = 2 * std::min(i, described - 1);
    const DType found = n.dtype(n.in(i));
    const char letter = inputs[at];
    const uint32_t set = type_sets()[static_cast<size_t>(letter >= 'a' ? letter - 'a' + 26 : letter - 'A')];
    if (set != 0 && (set >> static_cast<int32_t>(found) & 1) == 0)
      return n.wrong("input {} has dtype {}; expected one of those that the operator takes: {}", i, dtype_name(found), names_of(set));
    size_t& first = first_of[static_cast<size_t>(inputs[at + 1] - '0')];
    if (first == SIZE_MAX) first = i;
    if (const DType like = n.dtype(n.in(first)); like != found)
      return n.wrong("input {} has dtype {}; input {} has {}, and both are of one type", i, dtype_name(found), first, dtype_name(like));
  }
}

// An input is absent by its empty name, by standing behind the last, or as an argument that the call of a function left out.
void check_presence(NodeImport& n, const Schema& schema, std::span<const ValueId> given) {
  const size_t least = schema.inputs < 0 ? 1 : static_cast<size_t>(schema.inputs);
  for (size_t i = 0; i < std::max(given.size(), least); ++i) {
    const bool required = (schema.required >> std::min<size_t>(i, 31) & 1) != 0;
    if (required && (i >= given.size() || given[i] == kNoValue)) return n.wrong("input {} is absent; it is required", i);
  }
}

}  // namespace

std::optional<Schema> find_schema(std::string_view op_type, int64_t opset) noexcept {
  const std::span<const SchemaRow> all = all_schemas();
  const auto key = [](const SchemaRow& s) { return std::pair(text_of(s.op_type), int64_t{s.since}); };
  const auto after = std::ranges::upper_bound(all, std::pair(op_type, opset), {}, key);
  if (after == all.begin() || std::prev(after)->gone || text_of(std::prev(after)->op_type) != op_type) return {};
  return std::prev(after)->schema();
}

void check_schema(NodeImport& n, std::span<const ValueId> given) {
  const NodeProto& node = n.proto();
  // ONNX Runtime's tools write it into models of older opsets, and mean that of opset 17.
  const int64_t opset = node.op_type == "LayerNormalization" ? std::max<int64_t>(n.opset(), 17) : n.opset();
  const std::optional<Schema> extension = find_extension(node.domain, node.op_type);
  const std::optional<Schema> schema = extension ? extension : find_schema(node.op_type, opset);
  if (!schema) return n.wrong("the operator does not exist in opset {}, which the model imports", n.opset());
  const auto trailing = [](const std::vector<std::string_view>& names) {
    const auto last = std::find_if(names.rbegin(), names.rend(), [](std::string_view name) { return !name.empty(); });
    return names.rend() - last;
  };
  if (schema->inputs >= 0 && trailing(node.input) > schema->inputs)
    return n.wrong("{} inputs; in opset {} it has at most {}", trailing(node.input), n.opset(), schema->inputs);
  if (schema->outputs >= 0 && trailing(node.output) > schema->outputs)
    return n.wrong("{} outputs; in opset {} it has at most {}", trailing(node.output), n.opset(), schema->outputs);
  check_presence(n, *schema, given);
  for (const Attribute& a : node.attribute) {
    bool known = false;
    each_attribute(*schema, [&](std::string_view name, bool) { known = known || name == a.name; });
    if (!known) return n.wrong("it has no attribute '{}' in opset {}", shown(a.name), n.opset());
  }
  each_attribute(*schema, [&](std::string_view name, bool required) {
    if (required && n.ok() && !n.has_attribute(name)) n.wrong("attribute {} is absent; it is required", name);
  });
  // The importers of extensions look at the types themselves.
  if (n.ok() && !extension) check_input_types(n);
}

}  // namespace anydim::onnx
