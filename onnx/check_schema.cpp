// SPDX-License-Identifier: Apache-2.0
// The comparison of a node with the row of its version; the rows are in schemas.cpp.
#include <algorithm>

#include "onnx/node_import.h"
#include "onnx/schemas.h"

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

}  // namespace

const Schema* find_schema(std::string_view op_type, int64_t opset) noexcept {
  const std::span<const Schema> all = all_schemas();
  const auto key = [](const Schema& s) { return std::pair(s.op_type, s.since); };
  const auto after = std::ranges::upper_bound(all, std::pair(op_type, opset), {}, key);
  if (after == all.begin() || std::prev(after)->op_type != op_type || std::prev(after)->gone) return nullptr;
  return &*std::prev(after);
}

void check_schema(NodeImport& n) {
  const NodeProto& node = n.proto();
  const Schema* schema = find_schema(node.op_type, n.opset());
  if (schema == nullptr) return n.wrong("the operator does not exist in opset {}, which the model imports", n.opset());
  const auto trailing = [](const std::vector<std::string_view>& names) {
    const auto last = std::find_if(names.rbegin(), names.rend(), [](std::string_view name) { return !name.empty(); });
    return names.rend() - last;
  };
  if (schema->inputs >= 0 && trailing(node.input) > schema->inputs)
    return n.wrong("{} inputs; in opset {} it has at most {}", trailing(node.input), n.opset(), schema->inputs);
  if (schema->outputs >= 0 && trailing(node.output) > schema->outputs)
    return n.wrong("{} outputs; in opset {} it has at most {}", trailing(node.output), n.opset(), schema->outputs);
  for (const Attribute& a : node.attribute) {
    bool known = false;
    each_attribute(*schema, [&](std::string_view name, bool) { known = known || name == a.name; });
    if (!known) return n.wrong("it has no attribute '{}' in opset {}", shown(a.name), n.opset());
  }
  each_attribute(*schema, [&](std::string_view name, bool required) {
    if (required && n.ok() && !n.has_attribute(name)) n.wrong("attribute {} is absent; it is required", name);
  });
}

}  // namespace anydim::onnx
