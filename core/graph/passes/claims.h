// SPDX-License-Identifier: Apache-2.0
// Parts of a graph that engines take as a whole. An engine that can compile parts is shown the graph and says which nodes it claims; each part
// becomes one node with what the engine compiled of it. What an engine claims is checked: the nodes were offered, and no node between them is
// outside. A part that it then refuses to compile stays as it was.
#pragma once

#include <span>

#include "core/engines/engine.h"
#include "core/graph/ir.h"

namespace anydim {

// Behind the neutral passes, before engines are chosen for single nodes. `engines`: the host's first; of the others those up to `last` are
// asked in their order.
Status claim_parts(Graph& graph, std::span<const EnginePtr> engines, size_t last);

}  // namespace anydim
