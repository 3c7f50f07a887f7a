// SPDX-License-Identifier: Apache-2.0
// Running steps; see step_runner.h.
#include "core/run/context/step_runner.h"

#include "core/base/clock.h"
#include "core/base/memory/fetch_ahead.h"
#include "core/dispatch/observe/observe.h"
#include "core/run/context/copy_elements.h"
#include "core/run/context/device_context.h"
#include "core/run/context/device_places.h"

namespace anydim {

namespace {

int64_t bytes_of(const TensorView& t) noexcept { return t.count() * dtype_size(t.dtype); }

// A run last read a step a whole run ago, and megabytes of weights have passed through the caches since. So the step after the next
// one, and what the next one points to, are fetched while a step computes.
void fetch_parts(const BoundStep& s) noexcept {
  if (!s.here) return;
  fetch_ahead(s.kernel, kCacheLine);
  fetch_ahead(s.args.op, kCacheLine);
  fetch_ahead(s.args.post_ops, kCacheLine);
  if (s.args.weights != nullptr) fetch_ahead(s.args.weights, sizeof(PackedWeights));
  for (const std::span<const TensorView> operands : {s.args.in, s.args.out, s.args.post_in})
    fetch_ahead(operands.data(), operands.size_bytes());
}

// The first step of the next group at or behind one; no step: there is none.
size_t next_group(const GroupRunner* groups, size_t step, size_t* group) noexcept {
  *group = groups == nullptr ? 0 : groups->next(step);
  return groups == nullptr || *group == groups->size() ? SIZE_MAX : static_cast<size_t>(groups->group(*group).first);
}

}  // namespace

Status StepRunner::run(const Program::Stage& stage, DevicePlaces* places) {
  const std::span<const BoundStep> steps = binding_.steps();
  const bool timed = observed || profiling;
  GroupRunner* const groups = timed ? nullptr : binding_.groups();  // times are those of steps one after the other
  size_t group = 0, group_at = next_group(groups, 0, &group);
  for (auto i = static_cast<size_t>(stage.first), last = static_cast<size_t>(stage.last); i < last; ++i) {
    const BoundStep& s = steps[i];
    if (i + 2 < last) fetch_ahead(&steps[i + 2], sizeof(BoundStep));
    if (i + 1 < last) fetch_parts(steps[i + 1]);
    if (stop != nullptr && stop->ended()) return error(Code::cancelled, "the run was cancelled before node '{}'", program_.steps[i].label);
    if (i == group_at) {
      ANYDIM_TRY(groups->run(group, steps));
      i = static_cast<size_t>(groups->group(group).last);
      group_at = next_group(groups, i + 1, &group);
      continue;
    }
    const int64_t start = timed ? wall_clock() : 0;
    if (!s.here) ANYDIM_TRY(run_elsewhere(i, places));
    else if (Status done = s.kernel->run(s.plan, s.args); !done.ok())
      return std::move(done).at(program_.steps[i].label).in_node(program_.steps[i].name);
    if (timed) ANYDIM_TRY(finish_step(i, start));
  }
  return {};
}

Status StepRunner::run_elsewhere(size_t i, DevicePlaces* places) {
  const Program::Step& step = program_.steps[i];
  const BoundStep& s = binding_.steps()[i];
  if (binding_.leaves_out(i)) return {};
  if (devices != nullptr) ANYDIM_TRY(devices->wait_before_step(i));
  if (step.control() != nullptr) return run_control(i).in_node(step.name);
  if (step.transfer() != nullptr) return transfer(i, places);
  if (step.engine != 0) return devices->launch(i, s.plan, s.args, binding_.slots.values());
  if (step.overwrites) journal.save(s.args);
  return s.primitive->run(s.plan, s.args).at(step.label).in_node(step.name);
}

Status StepRunner::run_control(size_t i) {
  const BoundStep& s = binding_.steps()[i];
  return controls_[static_cast<size_t>(program_.steps[i].control()->control)]->run(
      {s.args.in, s.args.out, s.args.dim_attributes, static_cast<std::byte*>(s.args.scratch), stop, profiling});
}

Status StepRunner::transfer(size_t i, DevicePlaces* places) {
  const Program::Step& step = program_.steps[i];
  const Args& args = binding_.steps()[i].args;
  const std::span<const int64_t> slots = binding_.slots.values();
  TensorView from = args.in[0], to = args.out[0];
  if (program_.buffer(program_.tensor(step.operands[0]).buffer).engine != 0)
    return places != nullptr && places->leaves_out(i) ? Status()
                                                      : devices->download(i, static_cast<std::byte*>(to.data), bytes_of(to), slots);
  if (places != nullptr) {
    bool done = false;
    ANYDIM_TRY(places->transfer_input(i, from, to, &done));
    if (done) return {};
  }
  if (!same_strides(from, to)) {
    to.data = binding_.arena.scratch(i);
    ANYDIM_TRY(copy_tensor(*program_.primitives[static_cast<size_t>(step.transfer()->dense)], from, to, parallel_));
    from = to;
  }
  return devices->upload(i, static_cast<std::byte*>(from.data), bytes_of(from), slots);
}

Status StepRunner::finish_step(size_t i, int64_t start) {
  const Program::Step& step = program_.steps[i];
  if (step.engine != 0) ANYDIM_TRY(devices->finish(step.engine));  // times are each step's own
  const int64_t end = wall_clock();
  if (profiling) nanoseconds_[i] = end - start;
  const BoundStep& s = binding_.steps()[i];
  if (!observed || s.primitive == nullptr || binding_.leaves_out(i)) return {};
  observe::executed({s.primitive, step.label, s.args.in, s.args.post_in, s.args.out, s.args.dim_attributes, s.args.parallel.threads(),
                     start, end, s.plan.scratch, s.plan.specialised ? Tier::specialised : Tier::reusable});
  return {};
}

}  // namespace anydim
