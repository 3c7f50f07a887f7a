// SPDX-License-Identifier: Apache-2.0
// Pass dead_nodes: nodes whose outputs nobody reads are erased, in one walk from the end. Exact.
#include "core/graph/passes/passes.h"

namespace anydim {

Status remove_dead_nodes(Graph& graph) {
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    bool used = false;
    for (ValueId v : graph.node(*at).outputs) used = used || graph.uses(v) > 0;
    if (!used) graph.erase_node(*at);
  }
  return {};
}

}  // namespace anydim
