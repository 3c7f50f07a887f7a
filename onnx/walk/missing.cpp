// SPDX-License-Identifier: Apache-2.0
// Operators that a model uses and that have no importer: all of them are listed before anything else that might be wrong.
#include <numeric>

#include "onnx/walk/model_import.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {

// A body whose order cannot be determined is refused when it is imported; here all of it counts.
std::vector<size_t> ModelImport::wanted_nodes(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs) {
  if (Result<std::vector<size_t>> needed = needed_nodes(nodes, outputs, names_read_); needed.ok()) return *std::move(needed);
  std::vector<size_t> all(nodes.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

// A branch of an If may never be taken: without `branches` what only they need is left out.
void ModelImport::collect_missing(const std::vector<NodeProto>& nodes, std::span<const size_t> which, bool branches, Missing* missing) {
  for (const size_t i : which) {
    const NodeProto& node = nodes[i];
    if (is_host(node)) continue;
    if (const FunctionProto* f = function_of(node)) {
      if (missing->seen.insert(f).second) collect_missing(f->node, wanted_nodes(f->node, f->output), branches, missing);
      continue;
    }
    if (!is_control(node) && find_composite_operator(node) == nullptr && find_importer(node.domain, node.op_type) == nullptr) {
      std::string op = is_standard(node.domain) ? shown(node.op_type) : formatted("{}.{}", shown(node.domain), shown(node.op_type));
      if (missing->counts.empty()) missing->first = formatted("node {}: operator {} is not supported", NodeImport::label(node), op);
      ++missing->counts[std::move(op)];
    }
    if (is_if(node) && !branches) continue;
    for (const Attribute& a : node.attribute)
      if (a.graph != nullptr) collect_missing(a.graph->node, wanted_nodes(a.graph->node, names_of(a.graph->output)), branches, missing);
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

Status ModelImport::check_supported(const std::vector<NodeProto>& nodes, std::span<const size_t> which) {
  Missing certain, all;
  collect_missing(nodes, which, false, &certain);
  if (certain.counts.empty()) return {};
  collect_missing(nodes, which, true, &all);
  return unimplemented("{}; all that this model uses and that is missing, with counts: {}", certain.first, all.list());
}

}  // namespace anydim::onnx
