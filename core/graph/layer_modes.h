// SPDX-License-Identifier: Apache-2.0
// Math modes that a caller asks for of single layers: finding the nodes that a name of the model's file means.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "core/graph/ir.h"

namespace anydim {

using LayerMode = std::pair<std::string, MathMode>;

// not_found if no node has one of the names, in the graph or in a body in it.
Status check_layers(const Graph& graph, std::span<const LayerMode> layers);

// Gives each node its mode. `path` stands before the names of the graph's nodes: "loop_2/", or nothing. Of several that mean one
// node the last counts.
void set_modes(Graph& graph, std::string_view path, std::span<const LayerMode> layers, MathMode models);

}  // namespace anydim
