// SPDX-License-Identifier: Apache-2.0
// Decides where each value lies (plan/storage.h). Transposes, reshapes and
// slices become views where their strides can be written down for every shape; concat inputs are written straight into
// the concat's memory; both ways through each other (a matmul writes the transposed, reshaped output of the graph).
// Sizes of buffers and their place in the arena are the memory plan's.
#pragma once

#include "core/graph/ir.h"
#include "core/graph/plan/storage.h"

namespace anydim {

// Needs the orders that propagate_layouts chose. Changes the graph: merges concats of neighbouring slices, and gives
// concat inputs that cannot be written in place an explicit copy.
Status elide(Graph& graph, Storage* out);

// Every value in a buffer of its own, every node executes: what elision saves, left out.
void place_apart(Graph& graph, Storage* out);

}  // namespace anydim
