// SPDX-License-Identifier: Apache-2.0
// Pass dead_nodes: nodes whose outputs nobody reads are erased, in one walk from the end. Exact.
#include "core/graph/passes/passes.h"

namespace anydim {

Status passes::dead_nodes(Graph& graph) {
  graph.erase_unused_nodes();
  return {};
}

}  // namespace anydim
