// SPDX-License-Identifier: Apache-2.0
// Layout propagation: gives each value a memory order and inserts a copy where a kernel needs an order that its operand
// does not have. Operators vote with the bytes that they would have to move; results never depend on it.
// Whether a transpose, reshape, slice or concat then costs anything is decided by elision.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/graph/ir.h"

namespace anydim {

// What a caller asks of the memory order of a graph's input or output.
struct EdgeLayout {
  enum class Rule : uint8_t {
    fixed,    // the order below
    fastest,  // whatever moves least: the pass chooses
    follow,   // outputs only: row-major where its reference input is, else as fastest. The pass says which input that is
  };
  Rule rule = Rule::fixed;
  Perm order;  // of rule fixed, outermost axis first; empty: row-major
  EdgeLayout() = default;
  EdgeLayout(const Perm& fixed) : order(fixed) {}  // NOLINT: an order is a request
  EdgeLayout(Rule wanted) : rule(wanted) {}        // NOLINT
};

struct LayoutRequests {
  // Order in which the node's kernel reads input `index` (or writes output `index`) at full speed; empty: any.
  // Inputs are counted with the post-op operands after the operator's own.
  std::function<Perm(const Node&, bool output, int index)> preferred;
  std::vector<EdgeLayout> inputs;  // of the graph's edges; missing: row-major
  std::vector<EdgeLayout> outputs;
  // Value of each expression of graph.dims at the bounds (or a guess where there is none): weights of the votes.
  std::span<const int64_t> reference;
};

// Afterwards every value has an order, and every graph output is produced by a node, in its own order, once.
Status propagate_layouts(Graph& graph, const LayoutRequests& requests);

// True if the node copies its input as it is: an explicit change of layout, or a transfer.
bool is_layout_copy(const Node& node);

}  // namespace anydim
