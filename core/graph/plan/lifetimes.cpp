// SPDX-License-Identifier: Apache-2.0
// A buffer lives from the first node that touches any value in it to the last.
#include "core/graph/plan/lifetimes.h"

#include <algorithm>

namespace anydim {

Lifetimes lifetimes_of(const Graph& graph, const Storage& storage) {
  Lifetimes life;
  life.buffers.assign(storage.buffers.size(), {0, -1});
  const auto touch = [&](ValueId v) {
    if (v == kNoValue || storage.values[v].buffer < 0) return;
    BufferLifetime& b = life.buffers[storage.values[v].buffer];
    if (b.last < b.first) b.first = life.steps;
    b.last = life.steps;
  };
  for (NodeId id : graph.order()) {
    if (!storage.executes[id]) continue;
    const Node& n = graph.node(id);
    std::for_each(n.inputs.begin(), n.inputs.end(), touch);
    std::for_each(n.post_inputs.begin(), n.post_inputs.end(), touch);
    std::for_each(n.outputs.begin(), n.outputs.end(), touch);
    ++life.steps;
  }
  for (size_t b = 0; b < storage.buffers.size(); ++b)
    if (storage.buffers[b].kind == BufferKind::output && life.buffers[b].last >= life.buffers[b].first)
      life.buffers[b].last = std::max(life.steps - 1, 0);
  return life;
}

}  // namespace anydim
