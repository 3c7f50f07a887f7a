// SPDX-License-Identifier: Apache-2.0
// Groups of small steps that run side by side on the pool's threads, each step on one: which of them gain at a shape, and running one. A
// thread takes segments in an order that is settled when the shape is bound, and waits for those that one needs, so that whoever comes
// late, or never, costs nothing but time. The program's steps and their bits are those of a run one after the other.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "core/dispatch/tuning/cost.h"
#include "core/program/arena_plan.h"

namespace anydim {

struct BoundStep;

class GroupRunner {
 public:
  [[gnu::cold]] GroupRunner(const Program& program, const GroupedArena& arena, const Parallel& parallel, SideBySide wanted);

  // Which groups run side by side at the dims of these steps and these values of slots: those that gain by their expected times, and
  // whose steps touch nothing of each other's. Whether there are any. Allocates nothing.
  bool choose(std::span<const BoundStep> steps, std::span<const int64_t> values) noexcept;
  void choose_none() noexcept;
  bool any() const noexcept { return chosen_ > 0; }

  size_t size() const noexcept { return groups_.size(); }
  const StepGroup& group(size_t i) const noexcept { return *groups_[i].group; }
  bool is_chosen(size_t i) const noexcept { return groups_[i].chosen; }
  // The first chosen group that begins at this step or later; size(): none.
  size_t next(size_t step) const noexcept;

  // What a run of its steps one after the other would return.
  Status run(size_t group, std::span<const BoundStep> steps) noexcept;

 private:
  struct Segment {
    double time = 0, path = 0, end = 0;  // expected ns: alone; with all that waits for it; when it ends
    const double* thread = nullptr;      // of free_, that is expected to run it
    bool placed = false;
    std::atomic<bool> done{false};
    Status status;
    int32_t failed = -1;  // the step whose status that is
  };
  struct Group {
    const StepGroup* group = nullptr;
    bool chosen = false;
    std::unique_ptr<Segment[]> segments;
    std::vector<CostOfCalls> costs;  // step by step, segment after segment
    std::vector<int32_t> order;      // in which segments are taken: none before one that it needs
  };

  bool gains(Group& g, std::span<const BoundStep> steps) noexcept;
  double order_segments(Group& g) noexcept;
  void take_segments(Group& g, std::span<const BoundStep> steps, std::atomic<int32_t>* next, std::atomic<int32_t>* failed) noexcept;

  const Program& program_;
  const Parallel parallel_;
  const SideBySide wanted_;
  std::vector<Group> groups_;
  std::vector<double> free_;  // by thread, while segments are ordered
  size_t chosen_ = 0;
};

}  // namespace anydim
