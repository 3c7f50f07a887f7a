// SPDX-License-Identifier: Apache-2.0
// Which engine runs each node, and the copies between engines that follow from it. Results never depend on it. The range of a tensor that
// is quantized dynamically is found on a device only if something uses it there (docs/decisions/112). Nodes without a float
// among operands and results stay with the host, unless that makes copies more (docs/decisions/189). What the caller gives
// and gets, and what sizes are read from, lies in the host's memory. Parts that engines claim as a whole come first (claims.h).
#pragma once

#include <functional>
#include <span>

#include "core/engines/engine.h"
#include "core/graph/ir.h"

namespace anydim {

struct PartitionOptions {
  // The host's first, then those that are preferred over it, best first: a node goes to the first of these that has a kernel for it.
  std::span<const EnginePtr> engines;
  // Of connected nodes on one device, those that are fewer stay with the host: copying there and back costs more.
  int32_t smallest_island = 1;
  // Instead of the preference: the place in `engines` of the one that a node is to run on. Null: as above.
  std::function<int32_t(const Graph&, const Node&)> choose;
  // So many of the last engines get only what the host has no kernel for.
  int32_t behind_host = 0;
};

// After the algebraic passes, before layouts. Each value is copied to an engine once, right behind the node that makes it; each
// constant has a value of its own for each engine that reads it.
Status partition(Graph& graph, const PartitionOptions& options);

}  // namespace anydim
