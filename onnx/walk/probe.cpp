// SPDX-License-Identifier: Apache-2.0
// Asks of each node of a model whether it can be imported; see import.h. It is the importer itself that answers, so there is no
// second list of what is supported.
#include <algorithm>
#include <array>
#include <new>

#include "core/base/memory/out_of_memory.h"
#include "onnx/walk/import.h"
#include "onnx/walk/model_import.h"
#include "onnx/walk/node_order.h"

namespace anydim::onnx {

void ModelImport::stand_in(const NodeProto& node, const std::string& why, Scope* scope) {
  for (const std::string_view name : node.output) {
    if (name.empty() || scope->values.count(name) > 0) continue;
    const std::vector<ValueInfo>& types = model_.graph.value_info;
    const auto found = std::find_if(types.begin(), types.end(), [&](const ValueInfo& v) { return v.name == name; });
    if (found != types.end() && add_input(*found, scope).ok()) scope->unsupported.erase(name);
    else scope->unsupported.insert_or_assign(name, formatted("'{}' has no type that an input could have, and {}", shown(name), why));
  }
}

Status ModelImport::probe(std::vector<std::string>* refusals) {
  Scope scope;
  ANYDIM_TRY(begin(&scope));
  ANYDIM_TRY(add_inputs(&scope));
  const std::vector<NodeProto>& nodes = model_.graph.node;
  std::vector<std::string_view> made;
  std::set<std::string_view> read;
  for (const ValueInfo& v : model_.graph.output) read.insert(v.name);
  for (const NodeProto& node : nodes) {
    made.insert(made.end(), node.output.begin(), node.output.end());
    names_read_.each(node, [&](std::string_view name) { read.insert(name); });
  }
  Result<std::vector<size_t>> order = needed_nodes(nodes, made, names_read_);
  if (!order.ok()) return order.take_status();
  refusals->assign(nodes.size(), "none of its outputs has a name");
  for (const size_t i : *order) {
    const NodeProto& node = nodes[i];
    depth_ = 0;
    Status status = check_supported({node}, std::array<size_t, 1>{0});
    if (status.ok()) status = import_node(node, &scope);
    // Whoever asks gives nodes away one by one, and what goes between them is a tensor.
    for (const std::string_view name : node.output)
      if (const auto v = scope.values.find(name); status.ok() && v != scope.values.end() && is_composite(v->second)) {
        status = unimplemented("{}: '{}' is {}", NodeImport::label(node), shown(name), composites_.at(v->second).name());
        scope.values.erase(v);
      }
    for (const std::string_view name : node.output)
      if (const auto u = scope.unsupported.find(name); status.ok() && u != scope.unsupported.end() && read.count(name) > 0)
        status = unimplemented("{}", u->second);
    (*refusals)[i] = status.ok() ? std::string() : std::string(status.message());
    if (!status.ok()) stand_in(node, (*refusals)[i], &scope);
  }
  return {};
}

Result<std::vector<std::string>> probe_model(const ModelProto& model) {
  try {
    const Bytes none;
    ModelImport import(model, none, {}, false);
    std::vector<std::string> refusals;
    ANYDIM_TRY(import.probe(&refusals));
    return refusals;
  } catch (const std::bad_alloc& e) {
    return status_of(e).at("asking for a model's nodes");
  } catch (const std::exception& e) {
    return error(Code::internal, "asking for a model's nodes: {}", e.what());
  }
}

}  // namespace anydim::onnx
