// SPDX-License-Identifier: Apache-2.0
// Bounds of sizes that a run computes, so that memory is known where the dims of inputs are.
#pragma once

#include "core/graph/ir.h"

namespace anydim {

// What an element of a small integer tensor that nodes compute from dims never exceeds, an expression over earlier sizes; kMaxSize where
// nothing is known. A run checks it.
Dim upper_bound(Graph& graph, ValueId value, int64_t element);

}  // namespace anydim
