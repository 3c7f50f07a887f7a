// SPDX-License-Identifier: Apache-2.0
// For tests: the graph as text, which they write by hand and print where one is wrong:
//
//   input x: f32[n, 3, h, w]
//   const k: f32[16, 3, 3, 3] = 0.5                 one value for all, or as many as there are elements
//   y: f32[n, 16, h, w] = convolution(x, k) pads_begin=1,1 pads_end=1,1 | relu | add(z)   # conv_1 (Conv)
//   output y
//
// Bodies of branches and loops are printed indented behind their node and are not read.
//
// `| step` is a post-op with its tensor, `-` an absent input. What parse_graph reads, print_graph need not write: defaults of
// attributes and types of nodes may be left out.
#pragma once

#include <string>
#include <string_view>

#include "core/graph/ir.h"

namespace anydim {

// Constants longer than a few elements print as `...`. With `by_place`, names are replaced by numbers in the order in which they
// appear, so that two graphs of one structure print alike.
std::string print_graph(const Graph& graph, bool by_place = false);

// Reads the form above. Operators: those in parse_graph.cpp. Errors name the line.
Status parse_graph(std::string_view text, Graph* out);

}  // namespace anydim
