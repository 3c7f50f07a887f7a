// SPDX-License-Identifier: Apache-2.0
// The arena of a program in the memory of one of its engines: where its buffers and its kernels' scratch lie, and how large it is, at the bounds that a caller
// promises or at a guess. Computed from a program and numbers alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/program/program.h"
#include "core/program/step_groups.h"

namespace anydim {

// Whether steps run side by side; in tests and measurements all of them, or none.
enum class SideBySide : uint8_t { where_it_gains, everywhere, nowhere };

// What a caller promises about the dims of an input: one interval per dim.
struct InputBounds {
  RankArray<Interval> dims;
};
using Bounds = std::vector<InputBounds>;  // one per input of the program

// What may be said of a symbol of a program.
struct SymbolBound {
  Dim symbol;
  Interval within;
};

struct BodyPlan;

// Another layout of the same arena, in which groups of steps run side by side: what a group touches lives through all of it, and each
// segment of one has a region of scratch. A run uses it at shapes at which a group gains and the memory is there; the arena gets at most
// kRoom bytes for it.
struct GroupedArena {
  static constexpr int64_t kRoom = 256 << 10;

  std::vector<StepGroup> groups;
  std::vector<size_t> scratch;  // by group: the entry that is the region of its first segment; those of the others follow
  MemoryPlan plan;              // of the entries of the plain one, and behind them of those regions
};
using SymDimBounds = RankArray<Interval>;

// Memory of a branch or loop within bounds, besides what its results and its scratch take in the arena of the program that it is in.
struct ControlPlan {
  std::vector<std::unique_ptr<BodyPlan>> bodies;
  std::vector<int64_t> stores;     // by result: bytes for one that lies in memory of the step's own
  std::vector<int64_t> places;     // of them, in the memory of the outermost program's context
  std::vector<SymDimBounds> most;  // of an operator of the host program's: what its rule of shapes says of the largest inputs
};

// Arena layout for one set of bounds (or for none), stage by stage: buffers that need memory, then regions of scratch. Steps
// with little share one region, which is as large as the largest of them wants; a region that lives for one step only would
// save less than it costs to place at each new shape.
struct ArenaPlan {
  std::vector<int32_t> buffers;  // by entry of the plan: the program's buffer, or -1 for a region of scratch
  std::vector<int32_t> scratch;  // by step: the entry that is its region; of steps on other engines: any
  struct Entries {
    size_t first = 0, scratch = 0, last = 0;  // buffers from `first`, regions from `scratch`, up to and without `last`
  };
  std::vector<Entries> stages;
  MemoryPlan plan;
  int64_t slab = kMaxSize;                // bytes of a slab of the engine's memory, between which no buffer lies
  int64_t largest = 0;                    // bytes of the largest buffer or scratch, as `bytes`
  int64_t bytes = 0;                      // at the bounds; without any, at the guessed dims
  std::vector<ControlPlan> controls;      // within bounds, by the program's branches and loops
  int64_t all_bytes = 0;                  // with those of bodies and stores, which lie above
  std::unique_ptr<GroupedArena> grouped;  // null: all steps run one after the other
};

struct BodyPlan {
  Bounds bounds;  // of the body's inputs
  ArenaPlan arena;
  int64_t place = 0;  // above that of the arena around it
};

// Room that a branch or loop wants in the arena while it runs, `bytes(i)` being those of its result i. An operator of the host program's
// sees dense tensors: `others(i)` are the bytes of its operand i, results behind inputs, if that may have other strides.
template <class Bytes, class Others> int64_t control_scratch(const Control& control, const Bytes& bytes, const Others& others) {
  int64_t sum = 0;
  if (control.kind == Control::Kind::host) {
    size_t operands = control.sized_by_step.size();
    for (const int32_t input : control.host_inputs) operands += input >= 0 ? 1 : 0;
    for (size_t k = 0; k < operands; ++k) sum = saturating_add(sum, round_up(others(k), kBufferAlignment));
    return sum;
  }
  // A carried value has two places, used alternately, of which the result is one.
  for (size_t k = 0; k < control.carried(); ++k)
    if (control.sized_by_step[k] == 0) sum = saturating_add(sum, round_up(bytes(k), kBufferAlignment));
  return sum;
}

// Intervals of the dims of inputs, checked against what the program itself promises.
Status check_bounds(const Program& program, const Bounds& bounds);

// The layout of an engine's arena within bounds; null bounds: an orientation for guessed dims and no bound.
Status plan_arena(const Program& program, const Bounds* bounds, int threads, ArenaPlan* out, int32_t engine = 0,
                  SideBySide side_by_side = SideBySide::where_it_gains);
// The same for a body: `symbols` are bounds of its parameters and whatever else is known. `pool` is the program's, within all bounds.
Status plan_body(const Program& program, const Bounds& bounds, std::span<const SymbolBound> symbols, int threads, ArenaPlan* out,
                 DimPool* pool);
// Of a branch or loop. `pool`: the dims of the program that it is in, within its bounds; `results`: the dims that the step finds.
Status plan_control(const Program& program, const Program::Step& step, const DimPool& pool, int threads, ControlPlan* out,
                    std::vector<SymDimBounds>* results);

// Arena bytes of an engine that suffice for every shape within `bounds`. Fails if something has no bound, naming it.
Status bytes_needed(const Program& program, const Bounds& bounds, int threads, int64_t* bytes, int32_t engine = 0);

}  // namespace anydim
