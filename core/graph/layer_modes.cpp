// SPDX-License-Identifier: Apache-2.0
// Finds the nodes that a math mode for one layer means; see layer_modes.h.
#include "core/graph/layer_modes.h"

#include <algorithm>

#include "core/graph/control_flow.h"

namespace anydim {

namespace {

// A node of the file that becomes several gives them its name and a number: "norm", "norm/2", "norm/3". A branch or loop means all
// nodes in its bodies.
bool is_of(std::string_view path, std::string_view node, std::string_view layer) {
  if (path.size() > layer.size() && path.substr(0, layer.size()) == layer && path[layer.size()] == '/') return true;
  if (layer.substr(0, path.size()) != path) return false;
  layer.remove_prefix(path.size());
  if (node.substr(0, layer.size()) != layer) return false;
  node.remove_prefix(layer.size());
  return node.empty() || (node.size() > 1 && node[0] == '/' && node.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

bool has(const Graph& graph, const std::string& path, std::string_view layer) {
  return std::any_of(graph.order().begin(), graph.order().end(), [&](NodeId id) {
    const Node& n = graph.node(id);
    if (is_of(path, n.name, layer)) return true;
    const auto* flow = as<ControlFlow>(*n.op);
    return flow != nullptr && std::any_of(flow->bodies().begin(), flow->bodies().end(),
                                          [&](const auto& body) { return has(*body, path + n.name + "/", layer); });
  });
}

}  // namespace

Status check_layers(const Graph& graph, std::span<const LayerMode> layers) {
  for (const LayerMode& l : layers)
    if (!has(graph, {}, l.first))
      return error(Code::not_found, "the model has no layer '{}'; expected the name of a node that computes", l.first);
  return {};
}

void set_modes(Graph& graph, std::string_view path, std::span<const LayerMode> layers, MathMode models) {
  for (const NodeId id : graph.order()) {
    Node& n = graph.node(id);
    for (const LayerMode& l : layers)
      if (is_of(path, n.name, l.first)) n.mode = l.second;
    n.mode = nearest(n.mode, models);
  }
}

}  // namespace anydim
