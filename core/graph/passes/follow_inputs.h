// SPDX-License-Identifier: Apache-2.0
// Values between an input and outputs that follow it, with nothing but element-wise nodes between: they lie in memory as the input does in
// each run, whatever its order is. So such a chain reads and writes along the same lines, and a run plans for the order that it finds.
#pragma once

#include "core/graph/ir.h"
#include "core/graph/passes/layout.h"

namespace anydim {

// Sets Value::like. After propagate_layouts(), for programs of the host alone.
void follow_inputs(Graph& graph, const LayoutRequests& requests);

}  // namespace anydim
