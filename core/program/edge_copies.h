// SPDX-License-Identifier: Apache-2.0
// Which steps of a program only change the memory order of an input or output, or the dims of an input, so that a run may leave them out. Decides nothing about
// a run: core/run/context/shape_binding.h compares the caller's strides.
#pragma once

#include "core/program/program.h"

namespace anydim {

// Of a primitive that does nothing but move elements: axis i of what it writes is axis [i] of what it reads. Null: it does more.
const Perm* moved_axes(const Primitive& primitive) noexcept;
// The same of one that writes the elements that it reads, in their order, as a tensor of other dims.
bool reshapes(const Primitive& primitive) noexcept;

// Fills in program->edge_copies. `orders`: by output, the order in which what its last step reads lies; empty where that is no copy.
// None in programs of several engines or stages, or with branches and loops, whose outputs are written at the end.
void find_edge_copies(Program* program, std::span<const Perm> orders);

}  // namespace anydim
