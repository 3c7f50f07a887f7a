// SPDX-License-Identifier: Apache-2.0
// A context's branches and loops: it makes the contexts of their bodies, gives them memory, and runs them as steps; and what a context
// that is itself a body's does otherwise.
#include "core/dispatch/observe/observe.h"
#include "core/run/context/context.h"

namespace anydim {

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
  ANYDIM_TRY(plan_arena(*program, nullptr, options.parallel.threads(), &own));
  return make(std::move(program), options, std::move(own), true, out);
}

Status Context::prepare_controls(const ContextOptions& options) {
  const Program& p = *program_;
  controls_.resize(p.controls.size());
  for (size_t s = 0; s < stages_.size(); ++s)
    for (int32_t i = p.stages[s].first; i < p.stages[s].last; ++i) {
      const Program::Step& step = p.steps[static_cast<size_t>(i)];
      if (step.control() == nullptr) continue;
      stages_[s].refuses = true;
      const auto c = static_cast<size_t>(step.control()->control);
      ANYDIM_TRY(ControlRun::create(p, step, options, bounded_ ? &arena_plan_.controls[c] : nullptr, arena_.data(), &controls_[c]));
    }
  return {};
}

void Context::plan_control_step(size_t i) noexcept {
  BoundStep& s = steps_[i];
  const auto bytes = [](const TensorView& v) { return saturating_mul(v.count(), dtype_size(v.dtype)); };
  const size_t inputs = s.args.in.size();
  const auto copied = [&](const TensorView& v) { return is_row_major(v) ? 0 : bytes(v); };
  const Control& control = program_->controls[static_cast<size_t>(program_->steps[i].control()->control)];
  s.plan.scratch = control_scratch(
      control, [&](size_t k) { return bytes(s.args.out[k]); },
      [&](size_t k) {
        if (k < inputs) return copied(s.args.in[k]);
        return control.sized_by_step[k - inputs] != 0 ? 0 : copied(s.args.out[k - inputs]);
      });
}

std::byte* Context::result_data(const Program::Buffer& buffer) const noexcept {
  const auto control = static_cast<size_t>(program_->steps[static_cast<size_t>(buffer.index)].control()->control);
  return static_cast<std::byte*>(controls_[control]->results()[static_cast<size_t>(buffer.output)].data);
}

Status Context::run_control(size_t i) {
  const BoundStep& s = steps_[i];
  return controls_[static_cast<size_t>(program_->steps[i].control()->control)]->run(
      {s.args.in, s.args.out, s.args.dim_attributes, static_cast<std::byte*>(s.args.scratch), stop_, profiling_});
}

Status Context::run_as_body(std::span<const TensorView> in, std::span<TensorView> out, std::span<const int64_t> parameters, Stop* stop,
                            bool profile) {
  stop_ = stop;
  profiling_ = profile;
  std::copy(parameters.begin(), parameters.end(), parameters_.begin());
  ANYDIM_TRY(take_inputs(in));
  if (!same_as_bound()) ANYDIM_TRY(bind_shape());
  ANYDIM_TRY(check_outputs(0, out));
  bind_memory(0);
  ran_ = stages_.size() == 1;
  ANYDIM_TRY(execute_stages(out, observe::wants(observe::kExecutions)));
  return hand_over(out);
}

int64_t Context::arena_bytes() const noexcept {
  int64_t sum = arena_.size();
  for (const auto& c : controls_) sum += c->arena_bytes();
  return sum;
}

PageUse Context::pages() const noexcept {
  PageUse sum = arena_.pages();
  for (const auto& c : controls_) sum += c->pages();
  return sum;
}

int64_t Context::growth_events() const noexcept {
  int64_t sum = growth_events_;
  for (const auto& c : controls_) sum += c->growth_events();
  return sum;
}

}  // namespace anydim
