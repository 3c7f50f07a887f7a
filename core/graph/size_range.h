// SPDX-License-Identifier: Apache-2.0
// Bounds of sizes that a run computes, so that memory is known where the dims of inputs are.
#pragma once

#include <optional>

#include "core/graph/ir.h"

namespace anydim {

// What an element of a small integer tensor that nodes compute from dims is not below, a number, and never exceeds, an expression over
// earlier sizes; -kMaxSize and kMaxSize where nothing is known. A run checks it.
struct SizeRange {
  int64_t least = -kMaxSize;
  Dim most = kMaxSize;
};
SizeRange size_range(Graph& graph, ValueId value, int64_t element);

// An element of such a tensor that is not computed after all: a dim that a concatenation puts beside computed ones.
std::optional<Dim> known_element(Graph& graph, ValueId value, int64_t element);

}  // namespace anydim
