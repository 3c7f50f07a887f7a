// SPDX-License-Identifier: Apache-2.0
// Contexts of programs on several engines: planning and running steps of which some are given to devices (device_context.h). Contexts
// of the host alone never come here.
#include "core/dispatch/observe.h"
#include "core/engines/cpu/clock.h"
#include "core/run/context.h"
#include "core/run/device_context.h"
#include "core/run/device_edges.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

int64_t bytes_of(const TensorView& t) noexcept { return t.count() * dtype_size(t.dtype); }

}  // namespace

Context::~Context() = default;

Status Context::prepare_devices() {
  if (program_->host_only()) return {};
  if (policy_.policy == ReusePolicy::specialised)
    return unimplemented("plans of nodes on engine {} are not tuned; the policy is specialised (set by {})", program_->engines[1]->kind(),
                         policy_source_name(policy_.source));
  return DeviceContext::create(program_, bounded_ ? &bounds_ : nullptr, parallel_.threads(), &devices_);
}

Status Context::plan_on_engines(size_t stage, bool keep, uint64_t changed) {
  const Program::Stage& here = program_->stages[stage];
  const bool reusable_only = policy_.policy == ReusePolicy::reusable;
  devices_->begin_stage(stage);
  for (int32_t at = here.first; at < here.last; ++at) {
    const auto i = static_cast<size_t>(at);
    const Program::Step& step = program_->steps[i];
    BoundStep& s = steps_[i];
    if (const auto* const transfer = step.transfer()) {
      // Bytes go as they are, but for an input in strides that its caller chose.
      if (same_strides(s.args.in[0], s.args.out[0])) continue;
      if (transfer->dense < 0) return error(Code::internal, "{}: the two sides have other strides", step.label);
      bytes_[s.region] = bytes_of(s.args.in[0]);
      continue;
    }
    if (s.primitive == nullptr) plan_control_step(i);
    else if (!keep || (s.follows & changed) != 0) s.primitive->plan(s.args, &s.plan, reusable_only);
    if (step.engine == 0) bytes_[s.region] = std::max(bytes_[s.region], s.plan.scratch);
    else devices_->set_scratch(i, s.plan.scratch);
  }
  return devices_->place_stage(stage, slots_);
}

Status Context::transfer(size_t i) {
  const Program::Step& step = program_->steps[i];
  const BoundStep& s = steps_[i];
  TensorView from = s.args.in[0], to = s.args.out[0];
  if (program_->buffer(program_->tensor(step.operands[0]).buffer).engine != 0)
    return devices_->download(i, static_cast<std::byte*>(to.data), bytes_of(to), slots_);
  if (edges_ != nullptr) {
    bool done = false;
    ANYDIM_TRY(transfer_place(i, to, &from, &done));
    if (done) return {};
  }
  if (!same_strides(from, to)) {
    to.data = arena_.data() + places_[s.region].offset;
    ANYDIM_TRY(copy_tensor(*program_->primitives[static_cast<size_t>(step.transfer()->dense)], from, to, parallel_));
    from = to;
  }
  return devices_->upload(i, static_cast<std::byte*>(from.data), bytes_of(from), slots_);
}

Status Context::execute_on_engines(size_t first, size_t last, bool observed) {
  const bool timed = observed || profiling_;
  for (size_t i = first; i < last; ++i) {
    const Program::Step& step = program_->steps[i];
    const BoundStep& s = steps_[i];
    if (stop_flag_ != nullptr && __atomic_load_n(stop_flag_, __ATOMIC_RELAXED) != 0)
      return error(Code::cancelled, "the run was cancelled before node '{}'", step.label);
    ANYDIM_TRY(devices_->wait_before_step(i));
    const int64_t start = timed ? wall_clock() : 0;
    if (step.transfer() != nullptr) ANYDIM_TRY(transfer(i));
    else if (step.engine != 0) ANYDIM_TRY(devices_->launch(i, s.plan, s.args, slots_));
    else if (s.primitive == nullptr) ANYDIM_TRY(run_control(i).in_node(step.name));
    else if (Status done = s.primitive->run(s.plan, s.args); !done.ok()) return std::move(done).at(step.label).in_node(step.name);
    if (!timed) continue;
    if (step.engine != 0) ANYDIM_TRY(devices_->finish(step.engine));  // times are each step's own
    if (step.transfer() == nullptr) finish_step(i, start, observed);
    else if (profiling_) nanoseconds_[i] = wall_clock() - start;
  }
  return {};
}

// What devices have not done yet uses memory of this run's.
Status Context::finish_on_engines(Status done) {
  if (done.ok()) done = devices_->finish();
  if (!done.ok()) devices_->abandon();
  return done;
}

int64_t Context::arena_bytes(int32_t engine) const noexcept { return engine == 0 ? arena_bytes() : devices_->arena_bytes(engine); }
int64_t Context::used_bytes(int32_t engine) const noexcept { return engine == 0 ? used_bytes_ : devices_->used_bytes(engine); }

}  // namespace anydim
