// SPDX-License-Identifier: Apache-2.0
// Pass dims: guards that came late (h // 16 equals 2 * (h // 32), because a sum further down needs it) simplify the dims of
// values and operators that came before them, so that equal sizes are one expression everywhere. Exact for every shape
// that passes the guards. Inputs keep their declared dims.
#include "core/graph/passes/passes.h"

namespace anydim {

Status passes::dims(Graph& graph) {
  for (NodeId id : graph.order()) {
    Node& n = graph.node(id);
    std::vector<Dim> attributes(n.op->dim_attributes().begin(), n.op->dim_attributes().end());
    bool changed = false;
    for (Dim& d : attributes) {
      const Dim simple = graph.dims.simplify(d);
      changed = changed || !(simple == d);
      d = simple;
    }
    if (changed) {
      if (OperatorPtr op = n.op->with_dim_attributes(attributes)) n.op = std::move(op);
    }
    for (ValueId v : n.outputs) {
      for (Dim& d : graph.value(v).type.dims) d = graph.dims.simplify(d);
      for (Dim& d : graph.value(v).shape_values.elements) d = graph.dims.simplify(d);
    }
  }
  return {};
}

}  // namespace anydim
