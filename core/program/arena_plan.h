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

// Arena layout for one set of bounds (or for none), stage by stage: buffers that need memory, then regions of scratch. Steps
// with little share one region, which is as large as the largest of them wants; a region that lives for one step only would
// save less than it costs to place at each new shape.
struct ArenaPlan {
  std::vector<int32_t> buffers;  // by entry of the plan: the program's buffer, or -1 for a region of scratch
  std::vector<int32_t> scratch;  // by step: the entry that is its region
  struct Entries {
    size_t first = 0, scratch = 0, last = 0;  // buffers from `first`, regions from `scratch`, up to and without `last`
  };
  std::vector<Entries> stages;
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
