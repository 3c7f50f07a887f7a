// SPDX-License-Identifier: Apache-2.0
// The arena of a program: where its buffers and its kernels' scratch lie, and how large it is, at the bounds that a caller
// promises or at a guess. Computed from a program and numbers alone.
#pragma once

#include <cstdint>
#include <vector>

#include "core/program/program.h"

namespace anydim {

// What a caller promises about the dims of an input: one interval per dim.
struct InputBounds {
  RankArray<Interval> dims;
};
using Bounds = std::vector<InputBounds>;  // one per input of the program

// Arena layout for one set of bounds (or for none): buffers that need memory, then regions of scratch. Steps with little
// share one region, which is as large as the largest of them wants; a region that lives for one step only would save less
// than it costs to place at each new shape.
struct ArenaPlan {
  std::vector<int32_t> buffers;  // of the program, in the order of the plan's first entries
  std::vector<int32_t> scratch;  // by step: its region, among those after the buffers
  MemoryPlan plan;
  int64_t bytes = 0;  // at the bounds; without any, at the guessed dims
};

// Intervals of the dims of inputs, checked against what the program itself promises.
Status check_bounds(const Program& program, const Bounds& bounds);

// The arena's layout within bounds; null bounds: an orientation for guessed dims and no bound.
Status plan_arena(const Program& program, const Bounds* bounds, int threads, ArenaPlan* out);

// Arena bytes that suffice for every shape within `bounds`. Fails if something has no bound, naming it.
Status bytes_needed(const Program& program, const Bounds& bounds, int threads, int64_t* bytes);

}  // namespace anydim
