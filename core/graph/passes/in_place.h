// SPDX-License-Identifier: Apache-2.0
// In-place: an element-wise node writes over an operand that nobody reads afterwards, if both are provably of the same
// size and lie in memory alike.
#pragma once

#include "core/graph/passes/elision.h"

namespace anydim {

// Merges arena buffers; returns how many nodes now work in place. Placements of all aliases are taken into account: a
// buffer is free when its last reader, through any view, has run.
int work_in_place(Graph& graph, Storage* storage);

}  // namespace anydim
