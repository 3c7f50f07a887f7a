// SPDX-License-Identifier: Apache-2.0
// Making contexts and running them; see context.h. Everything that a run writes was sized when the context was made.
#include "core/run/context/context.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/base/memory/code_pages.h"
#include "core/dispatch/observe/observe.h"
#include "core/dispatch/tuning/worker.h"
#include "core/run/context/copy_elements.h"
#include "core/run/context/tuning.h"

namespace anydim {

// --- making ------------------------------------------------------------------------------------------------------------

Status Context::create(ProgramPtr program, const ContextOptions& options, std::unique_ptr<Context>* out) {
  ArenaPlan plan;
  const SideBySide side_by_side = options.parallel.of_host() ? SideBySide::nowhere : options.side_by_side;
  ANYDIM_TRY(plan_arena(*program, options.bounds, options.parallel.threads(), &plan, 0, side_by_side));
  return make(std::move(program), options, std::move(plan), false, out);
}

Status Context::create_body(ProgramPtr program, const ContextOptions& around, BodyPlan* plan, std::byte* memory,
                            std::unique_ptr<Context>* out) {
  ContextOptions options = around;
  options.bounds = nullptr;
  options.buffer = nullptr;
  if (plan != nullptr) {
    options.bounds = &plan->bounds;
    options.buffer = memory + plan->place;
    options.buffer_size = plan->arena.all_bytes;
    return make(std::move(program), options, std::move(plan->arena), true, out);
  }
  ArenaPlan own;
  ANYDIM_TRY(plan_arena(*program, nullptr, options.parallel.threads(), &own, 0, SideBySide::nowhere));
  return make(std::move(program), options, std::move(own), true, out);
}

Context::Context(ProgramPtr program, const ContextOptions& options, ArenaPlan plan, bool body)
    : program_(std::move(program)),
      parallel_(options.parallel),
      bounded_(options.bounds != nullptr),
      body_(body),
      bounds_(bounded_ ? *options.bounds : Bounds()),
      policy_(resolve_policy(program_->reuse, options.reuse)),
      controls_(program_->controls.size()),
      caller_(*program_, bounds(), body),
      binding_(*program_, std::move(plan), bounded_, parallel_, caller_, controls_),
      aliases_(*program_, body),
      runner_(*program_, binding_, parallel_, controls_),
      output_dims_(program_->outputs.size()) {}

Status Context::make(ProgramPtr program, const ContextOptions& options, ArenaPlan plan, bool body, std::unique_ptr<Context>* out) {
  std::unique_ptr<Context> made(new Context(std::move(program), options, std::move(plan), body));
  Context& c = *made;
  ANYDIM_TRY(c.binding_.arena.allocate(options.buffer, options.buffer_size));
  if (!c.program_->host_only()) ANYDIM_TRY(DeviceContext::create(c.program_, c.bounds(), c.threads(), &c.devices_));
  c.runner_.devices = c.devices_.get();
  ANYDIM_TRY(c.binding_.prepare(c.devices_.get(), c.policy_.policy, options.side_by_side));
  for (const size_t step : c.aliases_.steps()) c.binding_.ask_before(step);
  ANYDIM_TRY(c.prepare_controls(options));
  if (c.bounded_)
    for (const Program::Tensor& t : c.program_->tensors)
      if (t.constant) t.constant->touch();
  if (!body) {
    c.parallel_.prepare();
    touch_code_pages();
    if (c.bounded_) touch_stack();
  }
  if (!c.bounded_ && !options.buffer && !c.bind_only_shape())
    ANYDIM_TRY(c.binding_.arena.allocate_ahead(body || MemorySourceScope::current() != nullptr));
  if (!body && c.policy_.policy == ReusePolicy::reusable_first) Worker::instance().start();
  if (!body && c.policy_.policy == ReusePolicy::specialised) ANYDIM_TRY(specialise(c, options.tuning_budget_ns));
  *out = std::move(made);
  return {};
}

Status Context::prepare_controls(const ContextOptions& options) {
  for (const Program::Step& step : program_->steps) {
    if (step.control() == nullptr) continue;
    const auto c = static_cast<size_t>(step.control()->control);
    ControlPlan* const plan = bounded_ ? &binding_.arena.plan().controls[c] : nullptr;
    ANYDIM_TRY(ControlRun::create(*program_, step, options, plan, binding_.arena.data(), &controls_[c]));
  }
  return {};
}

// A program whose dims are all fixed has one shape, which its first run then finds bound, with all the memory that it needs. False
// for others; what is wrong with the shape is the run's to report.
bool Context::bind_only_shape() {
  if (!caller_.set_only_shape()) return false;
  const bool bound = binding_.bind().ok();
  binding_.arena.growth_events = 0;
  return bound;
}

// --- running -----------------------------------------------------------------------------------------------------------

Status Context::output_dims(std::span<const TensorView> in, std::span<Dims> out, const EdgePlaces& places) {
  const ContextUse use(busy_);
  ANYDIM_TRY(use.status());
  if (!places.empty()) ANYDIM_TRY(set_places(in, places, true, &in));
  ANYDIM_TRY(caller_.set_inputs(in, false));
  if (!binding_.slots.are_of(caller_.source())) ANYDIM_TRY(binding_.slots.evaluate_between_runs(caller_.source()));
  read_output_dims(out);
  return {};
}

void Context::read_output_dims(std::span<Dims> out) const noexcept {
  const std::span<const int64_t> slots = binding_.slots.values();
  for (size_t i = 0; i < out.size(); ++i) {
    const Program::IoSpec& e = program_->outputs[i];
    const bool run_time = program_->stage_of(e.rank) > 0;
    out[i] = {};
    for (int d = run_time ? 0 : left_out_axes(e, slots); d < e.dims.rank; ++d)
      out[i].push_back((run_time && d < e.optional) || program_->stage_of(e.dims[d]) > 0 ? -1 : value_of(e.dims[d], slots));
  }
}

Status Context::reserve(std::span<const TensorView> in) {
  const ContextUse use(busy_);
  ANYDIM_TRY(use.status());
  ANYDIM_TRY(caller_.set_inputs(in, false));
  caller_.set_rooms({});
  if (binding_.is_bound()) return {};
  ran_ = false;
  return binding_.bind();
}

Status Context::run(std::span<const TensorView> in, std::span<TensorView> out, const EdgePlaces& places, OutputPlacer* placer) {
  const ContextUse use(busy_);
  ANYDIM_TRY(use.status());
  const int64_t start = runner_.profiling ? wall_clock() : 0;
  // A fault of the library's: what its callers ask is check_requested_outputs()' matter.
  if (out.size() != program_->outputs.size())
    return error(Code::internal, "a run of {} outputs has room for {}", program_->outputs.size(), out.size());
  if (!places.empty() || places_ != nullptr) ANYDIM_TRY(set_places(in, places, false, &in));
  ANYDIM_TRY(caller_.set_inputs(in, true));
  if (placer != nullptr) ANYDIM_TRY(place_outputs(in, out, *placer));
  caller_.set_rooms(out);
  if (places_ != nullptr) places_->set_outputs(out);
  if (!binding_.is_bound()) ANYDIM_TRY(bind());
  ANYDIM_TRY(bind_outputs(0, out));
  aliases_.find(out, binding_);
  if (runner_.profiling) bind_nanoseconds_ = wall_clock() - start;
  UndoJournal::Scope overwritten(runner_.journal);
  {
    const FloatingPointScope floating_point;
    const Parallel::Hot hot(parallel_);
    const bool observed = observe::wants(observe::kExecutions);
    const int64_t started = observed ? wall_clock() : 0;
    runner_.observed = observed;
    ANYDIM_TRY(devices_ == nullptr ? run_stages(out) : finish_on_devices(run_stages(out)));
    if (observed && observe::wants(observe::kTrace)) observe::ran("run", started, wall_clock());
  }
  overwritten.keep();
  return places_ == nullptr ? return_outputs(out, placer) : finish_on_devices(return_outputs(out, placer));
}

Status Context::run_as_body(std::span<const TensorView> in, std::span<TensorView> out, std::span<const int64_t> parameters, Stop* stop,
                            bool profile) {
  runner_.stop = stop;
  runner_.profiling = profile;
  runner_.observed = observe::wants(observe::kExecutions);
  caller_.set_parameters(parameters);
  ANYDIM_TRY(caller_.set_inputs(in, false));
  if (!binding_.is_bound()) ANYDIM_TRY(bind());
  ANYDIM_TRY(bind_outputs(0, out));
  ANYDIM_TRY(run_stages(out));
  return return_outputs(out, nullptr);
}

Status Context::set_places(std::span<const TensorView> in, const EdgePlaces& places, bool dims_only, std::span<const TensorView>* here) {
  ANYDIM_TRY(check_places(*program_, devices_.get(), places));
  if (devices_ == nullptr) return {};
  if (places_ == nullptr) places_ = std::make_unique<DevicePlaces>(*program_, binding_, *devices_, parallel_);
  return places_->set_inputs(in, places, dims_only, here);
}

// Dims do not depend on where outputs lie: where these have other room than in the last run, slots are evaluated again.
Status Context::place_outputs(std::span<const TensorView> in, std::span<TensorView> out, OutputPlacer& placer) {
  if (!binding_.slots.are_of(caller_.source())) ANYDIM_TRY(binding_.slots.evaluate(caller_.source()));
  read_output_dims(output_dims_);
  bool moved = false;
  ANYDIM_TRY(placer.place(output_dims_, out, &moved));
  return moved ? caller_.set_inputs(in, true) : Status();
}

Status Context::bind() {
  ran_ = false;
  ANYDIM_TRY(binding_.bind());
  if (!body_ && policy_.policy == ReusePolicy::reusable_first) request_tuning(*this);
  return {};
}

Status Context::bind_outputs(size_t stage, std::span<const TensorView> out) {
  ANYDIM_TRY(caller_.check_outputs(stage, out, {binding_.outputs(), binding_.uncopied()}, binding_.slots.values()));
  binding_.bind_memory(stage);
  ran_ = stage + 1 == program_->stages.size();
  return {};
}

Status Context::run_stages(std::span<const TensorView> out) {
  for (size_t s = 0; s < program_->stages.size(); ++s) {
    if (s > 0) {
      ANYDIM_TRY(binding_.enter(s));
      ANYDIM_TRY(bind_outputs(s, out));
    }
    ANYDIM_TRY(runner_.run(program_->stages[s], places_.get()));
  }
  return {};
}

Status Context::return_outputs(std::span<TensorView> out, OutputPlacer* placer) {
  copied_output_bytes_ = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i].data != nullptr && caller_.is_direct(i)) continue;
    const TensorView& mine = binding_.outputs()[i];
    if (out[i].data == nullptr && aliases_.is_found(i)) {
      out[i] = aliases_.view(i);
      continue;
    }
    if (out[i].data == nullptr) {
      const int left_out = left_out_axes(program_->outputs[i], binding_.slots.values());
      if (placer != nullptr) ANYDIM_TRY(placer->place_found(i, without_first_axes(mine, left_out).dims, &out[i]));
      if (out[i].data == nullptr) {
        out[i] = left_out == 0 ? mine : without_first_axes(mine, left_out);
        continue;
      }
    } else if (places_ != nullptr && places_->is_output(i)) {
      ANYDIM_TRY(places_->store_output(i, out[i]));
      continue;
    }
    ANYDIM_TRY(copy_output(*program_, i, mine, out[i], parallel_));
    copied_output_bytes_ += 2 * mine.count() * dtype_size(mine.dtype);
  }
  return {};
}

Status Context::finish_on_devices(Status done) {
  if (done.ok()) done = devices_->finish();
  if (!done.ok()) devices_->abandon();
  return done;
}

// --- what is known of it -----------------------------------------------------------------------------------------------

int64_t Context::appended_bytes(size_t output) const noexcept {
  const int32_t step = program_->outputs[output].appended_by;
  return step < 0 ? 0 : anydim::appended_bytes(binding_.steps()[static_cast<size_t>(step)].args);
}

void Context::forget_outputs() noexcept {
  binding_.forget();
  ran_ = false;
  for (const auto& c : controls_)
    for (const auto& body : c->bodies()) body->forget_outputs();
}

int64_t Context::arena_bytes() const noexcept {
  int64_t sum = binding_.arena.bytes();
  for (const auto& c : controls_) sum += c->arena_bytes();
  return sum;
}

int64_t Context::arena_bytes(int32_t engine) const noexcept { return engine == 0 ? arena_bytes() : devices_->arena_bytes(engine); }
int64_t Context::used_bytes(int32_t engine) const noexcept { return engine == 0 ? used_bytes() : devices_->used_bytes(engine); }

PageUse Context::pages() const noexcept {
  PageUse sum = binding_.arena.pages();
  for (const auto& c : controls_) sum += c->pages();
  return sum;
}

int64_t Context::growth_events() const noexcept {
  int64_t sum = binding_.arena.growth_events + (places_ != nullptr ? places_->growth_events() : 0);
  for (const auto& c : controls_) sum += c->growth_events();
  return sum;
}

}  // namespace anydim
