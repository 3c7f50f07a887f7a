// SPDX-License-Identifier: Apache-2.0
// Weighing and running groups of steps; see side_by_side.h.
#include "core/run/context/side_by_side.h"

#include <algorithm>

#include "core/base/threads/waiting.h"
#include "core/run/context/shape_binding.h"

namespace anydim {
namespace {

// In ns: what a loop over the pool's threads costs, and waiting for another thread; and from what expected time on a step shares its work
// (docs/decisions/232-steps-side-by-side.md).
constexpr double kLoop = 1500, kWait = 100, kShared = 2500;

// No run leaves a step of it out (output_aliases.h), or asks before it.
bool always_run(const StepGroup& g, std::span<const BoundStep> steps) noexcept {
  const auto here = [](const BoundStep& s) { return s.here; };
  return std::all_of(steps.begin() + g.first, steps.begin() + g.last + 1, here);
}

}  // namespace

GroupRunner::GroupRunner(const Program& program, const GroupedArena& arena, const Parallel& parallel, SideBySide wanted)
    : program_(program), parallel_(parallel), wanted_(wanted), groups_(arena.groups.size()) {
  size_t most = 1;
  for (size_t i = 0; i < groups_.size(); ++i) {
    const size_t segments = arena.groups[i].segments.size();
    groups_[i].group = &arena.groups[i];
    groups_[i].segments = std::make_unique<Segment[]>(segments);
    groups_[i].order.resize(segments);
    most = std::max(most, segments);
    for (const StepGroup::Segment& segment : arena.groups[i].segments)
      for (const int32_t step : segment.steps) {
        const Primitive& p = *program.primitive(program.steps[static_cast<size_t>(step)]);
        groups_[i].costs.emplace_back(p.engine(), p.kernel(), p.op());
      }
  }
  free_.resize(std::min(most, static_cast<size_t>(parallel.threads())));
}

bool GroupRunner::choose(std::span<const BoundStep> steps, std::span<const int64_t> values) noexcept {
  chosen_ = 0;
  for (Group& g : groups_) {
    const auto apart = [&](const std::pair<int32_t, int32_t>& pair) { return are_apart(program_, pair.first, pair.second, values); };
    g.chosen = always_run(*g.group, steps) && gains(g, steps) && std::all_of(g.group->apart.begin(), g.group->apart.end(), apart);
    chosen_ += g.chosen ? 1 : 0;
  }
  return chosen_ > 0;
}

void GroupRunner::choose_none() noexcept {
  for (Group& g : groups_) g.chosen = false;
  chosen_ = 0;
}

size_t GroupRunner::next(size_t step) const noexcept {
  size_t i = 0;
  while (i < groups_.size() && !(groups_[i].chosen && static_cast<size_t>(groups_[i].group->first) >= step)) ++i;
  return i;
}

bool GroupRunner::gains(Group& g, std::span<const BoundStep> steps) noexcept {
  const std::vector<StepGroup::Segment>& segments = g.group->segments;
  const double threads = parallel_.threads();
  double in_turn = 0;
  const CostOfCalls* cost = g.costs.data();
  for (size_t k = 0; k < segments.size(); ++k) {
    double& sum = g.segments[k].time = 0;
    for (const int32_t step : segments[k].steps) {
      const double time = cost++->nanoseconds(steps[static_cast<size_t>(step)].args);
      in_turn += time < kShared ? time : time / threads + kLoop;
      sum += time;
    }
  }
  const double beside = order_segments(g) + kLoop;
  return wanted_ == SideBySide::everywhere || beside < 0.9 * in_turn;
}

// Each thread that is free takes, of the segments that can begin first, the one with the longest way to the end. Returns when all are done.
double GroupRunner::order_segments(Group& g) noexcept {
  const std::vector<StepGroup::Segment>& segments = g.group->segments;
  for (size_t k = 0; k < segments.size(); ++k) g.segments[k].path = g.segments[k].time, g.segments[k].placed = false;
  for (size_t k = segments.size(); k-- > 0;)
    for (const int32_t before : segments[k].after) {
      Segment& s = g.segments[static_cast<size_t>(before)];
      s.path = std::max(s.path, s.time + g.segments[k].path);
    }
  std::fill(free_.begin(), free_.end(), 0);
  double end = 0;
  for (int32_t& taken : g.order) {
    double& thread = *std::min_element(free_.begin(), free_.end());
    double begin = 0;
    size_t best = segments.size();
    for (size_t k = 0; k < segments.size(); ++k) {
      if (g.segments[k].placed) continue;
      double ready = thread;
      bool can = true;
      for (const int32_t before : segments[k].after) {
        can = can && g.segments[static_cast<size_t>(before)].placed;
        const Segment& needed = g.segments[static_cast<size_t>(before)];
        ready = std::max(ready, needed.end + (needed.thread == &thread ? 0 : kWait));
      }
      if (!can) continue;
      if (best < segments.size() && (ready > begin || (ready == begin && g.segments[k].path <= g.segments[best].path))) continue;
      best = k;
      begin = ready;
    }
    Segment& s = g.segments[best];
    s.placed = true;
    s.thread = &thread;
    thread = s.end = begin + s.time;
    end = std::max(end, s.end);
    taken = static_cast<int32_t>(best);
  }
  return end;
}

Status GroupRunner::run(size_t group, std::span<const BoundStep> steps) noexcept {
  Group& g = groups_[group];
  for (size_t k = 0; k < g.order.size(); ++k) g.segments[k].done.store(false, std::memory_order_relaxed);
  std::atomic<int32_t> next{0}, failed{INT32_MAX};
  const auto threads = static_cast<int64_t>(std::min(g.order.size(), free_.size()));
  parallel_.with(static_cast<int>(threads)).run(threads, [&](int64_t, int) { take_segments(g, steps, &next, &failed); });
  const int32_t step = failed.load(std::memory_order_relaxed);
  if (step == INT32_MAX) return {};
  Segment* const s = std::find_if(g.segments.get(), g.segments.get() + g.order.size(), [&](const Segment& k) { return k.failed == step; });
  Status what = std::move(s->status);
  for (size_t k = 0; k < g.order.size(); ++k) g.segments[k].failed = -1, g.segments[k].status = {};
  return what;
}

// A segment is taken only when all that it needs are: whoever took the earliest of them waits for nobody, so that there is always somebody
// who works. Behind a step that failed no later one begins, and all earlier ones do.
void GroupRunner::take_segments(Group& g, std::span<const BoundStep> steps, std::atomic<int32_t>* next,
                                std::atomic<int32_t>* failed) noexcept {
  const auto count = static_cast<int32_t>(g.order.size());
  for (int32_t k = 0; (k = next->fetch_add(1, std::memory_order_relaxed)) < count;) {
    const auto taken = static_cast<size_t>(g.order[static_cast<size_t>(k)]);
    const StepGroup::Segment& segment = g.group->segments[taken];
    for (const int32_t before : segment.after) {
      Waiting waiting;
      while (!g.segments[static_cast<size_t>(before)].done.load(std::memory_order_acquire)) waiting.turn();
    }
    Segment& mine = g.segments[taken];
    for (const int32_t step : segment.steps) {
      if (step > failed->load(std::memory_order_relaxed)) break;
      const BoundStep& s = steps[static_cast<size_t>(step)];
      Status done = s.kernel->run(s.plan, s.args);
      if (done.ok()) continue;
      const Program::Step& named = program_.steps[static_cast<size_t>(step)];
      mine.status = std::move(done).at(named.label).in_node(named.name);
      mine.failed = step;
      for (int32_t seen = failed->load(); step < seen && !failed->compare_exchange_weak(seen, step);) {
      }
      break;
    }
    mine.done.store(true, std::memory_order_release);
  }
}

}  // namespace anydim
