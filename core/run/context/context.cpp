// SPDX-License-Identifier: Apache-2.0
// Making and running contexts; see context.h. Everything that a run writes was sized when the context was made. A shape is bound in
// context_shapes.cpp.
#include "core/run/context/context.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/clock.h"
#include "core/base/memory/code_pages.h"
#include "core/base/memory/fetch_ahead.h"
#include "core/dispatch/observe/observe.h"
#include "core/dispatch/tuning/worker.h"
#include "core/kernels/append/append.h"
#include "core/run/context/context_use.h"
#include "core/run/context/device_context.h"
#include "core/run/context/device_edges.h"

namespace anydim {

Status Context::create(ProgramPtr program, const ContextOptions& options, std::unique_ptr<Context>* out) {
  ArenaPlan plan;
  ANYDIM_TRY(plan_arena(*program, options.bounds, options.parallel.threads(), &plan));
  return make(std::move(program), options, std::move(plan), false, out);
}

Status Context::make(ProgramPtr program, const ContextOptions& options, ArenaPlan plan, bool body, std::unique_ptr<Context>* out) {
  std::unique_ptr<Context> c(new Context());
  c->program_ = std::move(program);
  c->parallel_ = options.parallel;
  c->body_ = body;
  if (options.bounds) {
    c->bounded_ = true;
    c->bounds_ = *options.bounds;
  }
  c->arena_plan_ = std::move(plan);
  if (options.buffer) {
    if (reinterpret_cast<uintptr_t>(options.buffer) % kBufferAlignment != 0)
      return invalid("the buffer's address is not a multiple of {}", kBufferAlignment);
    if (c->bounded_ && options.buffer_size < c->arena_plan_.all_bytes)
      return invalid("the buffer has {} bytes; these bounds need {}", options.buffer_size, c->arena_plan_.all_bytes);
    if (!c->bounded_ && !c->program_->controls.empty())
      return unimplemented("a buffer without bounds is not supported for a model with branches or loops, whose memory grows apart");
    c->arena_.borrow(options.buffer, options.buffer_size);
  } else if (c->bounded_) {
    ANYDIM_TRY(c->arena_.reserve(c->arena_plan_.all_bytes, c->parallel_));
  }
  c->policy_ = resolve_policy(c->program_->reuse, options.reuse);
  ANYDIM_TRY(c->prepare_devices());
  ANYDIM_TRY(c->prepare());
  ANYDIM_TRY(c->prepare_controls(options));
  if (c->bounded_)
    for (const Program::Tensor& t : c->program_->tensors)
      if (t.constant) t.constant->touch();
  if (!body) {
    c->parallel_.prepare();
    touch_code_pages();
    if (c->bounded_) touch_stack();
  }
  // Without bounds there is memory for likely dims, but no more of it than a context may hold that never needs it.
  if (!c->bounded_ && !options.buffer && !c->bind_the_only_shape()) {
    const bool ahead = !body && MemorySourceScope::current() == nullptr;
    // Shapes are often larger than the guess, which is one for all dims.
    constexpr int64_t kLarger = 8;
    const int64_t bytes =
        ahead ? c->ahead_.grant(saturating_mul(c->arena_plan_.bytes, kLarger)) : std::min(c->arena_plan_.bytes, Arena::kSmall);
    ANYDIM_TRY(c->arena_.get_ahead(bytes, c->parallel_));
  }
  if (!body && c->policy_.policy == ReusePolicy::reusable_first) Worker::instance().start();
  if (!body && c->policy_.policy == ReusePolicy::specialised) ANYDIM_TRY(c->specialise(options));
  *out = std::move(c);
  return {};
}

// A program whose dims are all fixed has one shape, which its first run then finds bound, with all the memory that it needs. False
// for others; what is wrong with the shape is the run's to report.
bool Context::bind_the_only_shape() {
  if (!program_->input_elements.empty() || !program_->parameters.empty()) return false;
  for (size_t i = 0; i < in_.size(); ++i) {
    const Program::IoSpec& edge = program_->inputs[i];
    in_[i].dtype = edge.dtype;
    in_[i].dims = Dims::filled(edge.dims.rank, 0);
    for (int d = 0; d < edge.dims.rank; ++d) {
      if (!edge.dims[d].is_number()) return false;
      in_[i].dims[d] = edge.dims[d].number();
    }
    in_[i].strides = dense_strides(in_[i].dims, edge.order);
  }
  const bool bound = bind_shape().ok();
  growth_events_ = 0;
  return bound;
}

Status Context::prepare() {
  const Program& p = *program_;
  ANYDIM_TRY(views_.prepare(p));
  steps_.resize(p.steps.size());
  stages_.resize(p.stages.size());
  const auto check_dims_of = [&](int32_t tensor) {
    if (tensor == Program::kNoTensor) return;
    for (Dim d : p.tensor(tensor).dims)
      if (!d.is_number()) stages_[static_cast<size_t>(p.stage_of(d))].checked_dims.push_back(d.expr());
  };
  for (size_t stage = 0; stage < stages_.size(); ++stage) {
    for (int32_t i = p.stages[stage].first; i < p.stages[stage].last; ++i) {
      const Program::Step& s = p.steps[static_cast<size_t>(i)];
      attribute_dims_.insert(attribute_dims_.end(), s.dim_attributes.begin(), s.dim_attributes.end());
      std::for_each(s.operands.begin(), s.operands.end(), check_dims_of);
    }
    stages_[stage].attributes = attribute_dims_.size();
    stages_[stage].sizes.assign(p.stages[stage].reads.size(), kBadSlot);
  }
  std::for_each(p.results.begin(), p.results.end(), check_dims_of);
  attributes_.resize(attribute_dims_.size());
  for (BoundStage& s : stages_) {
    std::sort(s.checked_dims.begin(), s.checked_dims.end());
    s.checked_dims.erase(std::unique(s.checked_dims.begin(), s.checked_dims.end()), s.checked_dims.end());
  }
  for (const Program::IoSpec& e : p.outputs) {
    int32_t stage = 0;
    for (Dim d : e.dims) stage = std::max(stage, p.stage_of(d));
    output_stages_.push_back(std::max(stage, p.stage_of(e.rank)));
  }

  size_t attribute = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Program::Step& s = p.steps[i];
    const OperandViews::Operands& operands = views_.step(i);
    BoundStep& b = steps_[i];
    b.primitive = p.primitive(s);
    b.follows = operands.follows;
    b.region = static_cast<size_t>(arena_plan_.scratch[i]);
    b.args.in = operands.in;
    b.args.out = operands.out;
    b.args.post_in = operands.post_in;
    b.args.dim_attributes = std::span<const int64_t>(attributes_).subspan(attribute, s.dim_attributes.size());
    attribute += s.dim_attributes.size();
    b.args.parallel = s.engine == 0 ? parallel_ : devices_->parallel(s.engine);
    if (b.primitive != nullptr) b.primitive->fill_in(&b.args);
  }
  // A slot that the code does not fill has no value, for whoever should read it.
  slots_.assign(static_cast<size_t>(p.slots()), kBadSlot);
  probe_slots_ = slots_;
  assigned_.assign(slots_.size(), 0);
  bytes_.assign(static_cast<size_t>(arena_plan_.plan.buffers()), 0);
  for (int32_t b : arena_plan_.buffers) extents_.push_back(b < 0 ? Extent{} : Extent{p.buffer(b).elements, dtype_size(p.buffer(b).dtype)});
  places_.resize(bytes_.size());
  buffer_data_.assign(p.buffers.size(), nullptr);
  in_.resize(p.inputs.size());
  content_.assign(p.input_elements.size(), 0);
  parameters_.assign(p.parameters.size(), 0);
  for (size_t i = 0; i < steps_.size(); ++i) {
    BoundStep& b = steps_[i];
    const bool waits = devices_ != nullptr && devices_->waits_before_step(i);
    b.here = b.primitive != nullptr && p.steps[i].engine == 0 && !waits;
    if (b.here) b.kernel = b.primitive->core()->host_kernel();
    b.scratch = p.steps[i].kernel() != nullptr && p.steps[i].engine != 0 ? devices_->scratch_bytes(i) : &bytes_[b.region];
  }
  for (size_t i = 0; i < p.outputs.size(); ++i) {
    if (p.outputs[i].cache < 0) continue;
    for (size_t step = 0; step < steps_.size(); ++step) {
      const Program::Step& s = p.steps[step];
      const bool appends = p.primitive(s) != nullptr && as<Append>(p.primitive(s)->op()) != nullptr;
      if (!appends || s.operands[static_cast<size_t>(s.inputs)] != p.results[i]) continue;
      cache_outputs_.push_back(i);
      cache_steps_.push_back(step);
      if (!p.outputs[i].behind) steps_[step].here = false;  // the journal comes first
    }
  }
  rooms_.assign(p.outputs.size(), 0);
  slots_of_ = probe_slots_of_ = {in_, content_, parameters_, rooms_};
  in_place_.assign(p.outputs.size(), 0);
  output_direct_.assign(p.outputs.size(), 0);
  output_data_.assign(p.outputs.size(), nullptr);
  nanoseconds_.assign(steps_.size(), -1);
  return {};
}

int64_t Context::appended_bytes(size_t output) const noexcept {
  const auto at = std::find(cache_outputs_.begin(), cache_outputs_.end(), output);
  if (at == cache_outputs_.end()) return 0;
  const TensorView& update = steps_[cache_steps_[static_cast<size_t>(at - cache_outputs_.begin())]].args.in[Append::kUpdate];
  return update.count() * dtype_size(update.dtype);
}

bool Context::is_origin(const SlotOrigin& origin) const noexcept {
  if (content_ != origin.content || parameters_ != origin.parameters || rooms_ != origin.rooms) return false;
  for (size_t i = 0; i < in_.size(); ++i)
    if (!(in_[i].dims == origin.in[i].dims) || !(in_[i].strides == origin.in[i].strides)) return false;
  return true;
}

void Context::set_origin(SlotOrigin* origin) const {
  std::copy(in_.begin(), in_.end(), origin->in.begin());
  origin->content = content_;
  origin->parameters = parameters_;
  origin->rooms = rooms_;
}

bool Context::same_as_bound() const noexcept {
  if (!bound_ || (bound_epoch_ != tier_epoch() && policy_.policy != ReusePolicy::reusable)) return false;
  return is_origin(slots_of_);
}

Status Context::output_dims(std::span<const TensorView> in, std::span<Dims> out, const EdgePlaces& places) {
  const ContextUse use(busy_);
  ANYDIM_TRY(use.status());
  if (!places.empty()) ANYDIM_TRY(bind_places(in, places, true, &in));
  ANYDIM_TRY(take_inputs(in));
  const bool bound = same_as_bound();
  if (!bound) {
    probed_ = false;
    ANYDIM_TRY(evaluate(probe_slots_));
    set_origin(&probe_slots_of_);
    probed_ = true;
  }
  const std::span<const int64_t> slots(bound ? slots_ : probe_slots_);
  for (size_t i = 0; i < out.size(); ++i) {
    const Program::IoSpec& e = program_->outputs[i];
    const bool run_time = program_->stage_of(e.rank) > 0;
    out[i] = {};
    for (int d = run_time ? 0 : left_out_axes(e, slots); d < e.dims.rank; ++d)
      out[i].push_back((run_time && d < e.optional) || program_->stage_of(e.dims[d]) > 0 ? -1 : value_of(e.dims[d], slots));
  }
  return {};
}

Status Context::reserve(std::span<const TensorView> in) {
  const ContextUse use(busy_);
  ANYDIM_TRY(use.status());
  ANYDIM_TRY(take_inputs(in));
  take_rooms({});
  return same_as_bound() ? Status() : bind_shape();
}

Status Context::run(std::span<const TensorView> in, std::span<TensorView> out, const EdgePlaces& places) {
  const ContextUse use(busy_);
  ANYDIM_TRY(use.status());
  const int64_t start = profiling_ ? wall_clock() : 0;
  if (!places.empty() || edges_ != nullptr) ANYDIM_TRY(bind_places(in, places, false, &in));
  ANYDIM_TRY(take_inputs(in));
  for (size_t i = 0; i < in_.size(); ++i)
    if (in_[i].data == nullptr && in_[i].count() > 0)
      return invalid("input '{}' has no data (null) but {} elements", program_->inputs[i].name, in_[i].count());
  take_rooms(out);
  if (!same_as_bound()) {
    ANYDIM_TRY(bind_shape());
    if (policy_.policy == ReusePolicy::reusable_first) request_tuning();
  }
  // A fault of the library's: what its callers ask is check_requested_outputs()' matter.
  if (out.size() != program_->outputs.size())
    return error(Code::internal, "a run of {} outputs has room for {}", program_->outputs.size(), out.size());
  if (edges_ != nullptr) edges_->provided = out;
  ANYDIM_TRY(check_outputs(0, out));
  bind_memory(0);
  ran_ = stages_.size() == 1;
  if (profiling_) bind_nanoseconds_ = wall_clock() - start;
  AppendJournal::Scope overwritten(journal_);
  ANYDIM_TRY(devices_ == nullptr ? execute(out) : finish_on_engines(execute(out)));
  overwritten.keep();
  return edges_ == nullptr ? hand_over(out) : finish_on_engines(hand_over(out));
}

Status Context::hand_over(std::span<TensorView> out) {
  const std::span<const TensorView> mine = views_.outputs();
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i].data == nullptr) out[i] = shown(i, mine[i]);
    else if (const BufferRef* there = device_output(i); there != nullptr) ANYDIM_TRY(store_output(i, out[i], *there));
    else if (!output_direct_[i]) ANYDIM_TRY(copy_output(i, out[i]));
  }
  return {};
}

Status Context::enter(size_t stage, std::span<const TensorView> out) {
  BoundStage& mine = stages_[stage];
  bool same = mine.bound && mine.placed && mine.changed == 0;
  const bool keep = mine.bound;
  mine.bound = false;
  if (devices_ != nullptr) ANYDIM_TRY(devices_->wait_before_stage(stage));
  ANYDIM_TRY(read_sizes(stage, &same));
  if (same) {
    mine.bound = true;
  } else {
    program_->stages[stage].code.run(slots_);
    ANYDIM_TRY(check_stage(stage, slots_));
    ANYDIM_TRY(bind_stage(stage, keep));
  }
  ANYDIM_TRY(check_outputs(stage, out));
  bind_memory(stage);
  ran_ = stage + 1 == stages_.size();
  return {};
}

Status Context::execute(std::span<const TensorView> out) {
  const FloatingPointScope floating_point;
  const Parallel::Hot hot(parallel_);
  const bool observed = observe::wants(observe::kExecutions);
  const int64_t begin = observed ? wall_clock() : 0;
  ANYDIM_TRY(execute_stages(out, observed));
  if (observed && observe::wants(observe::kTrace)) observe::ran("run", begin, wall_clock());
  return {};
}

Status Context::execute_stages(std::span<const TensorView> out, bool observed) {
  for (size_t s = 0; s < stages_.size(); ++s) {
    if (s > 0) ANYDIM_TRY(enter(s, out));
    const Program::Stage& stage = program_->stages[s];
    ANYDIM_TRY(execute_steps(static_cast<size_t>(stage.first), static_cast<size_t>(stage.last), observed));
  }
  return {};
}

void Context::fetch_parts(const BoundStep& s) noexcept {
  if (!s.here) return;
  fetch_ahead(s.kernel, kCacheLine);
  fetch_ahead(s.args.op, kCacheLine);
  fetch_ahead(s.args.post_ops, kCacheLine);
  if (s.args.weights != nullptr) fetch_ahead(s.args.weights, sizeof(PackedWeights));
  for (const std::span<const TensorView> operands : {s.args.in, s.args.out, s.args.post_in})
    fetch_ahead(operands.data(), operands.size_bytes());
}

Status Context::execute_steps(size_t first, size_t last, bool observed) {
  const bool timed = observed || profiling_;
  for (size_t i = first; i < last; ++i) {
    const BoundStep& s = steps_[i];
    if (i + 2 < last) fetch_ahead(&steps_[i + 2], sizeof(BoundStep));
    if (i + 1 < last) fetch_parts(steps_[i + 1]);
    if (stop_ != nullptr && stop_->ended())
      return error(Code::cancelled, "the run was cancelled before node '{}'", program_->steps[i].label);
    const int64_t start = timed ? wall_clock() : 0;
    if (!s.here) ANYDIM_TRY(run_elsewhere(i));
    else if (Status done = s.kernel->run(s.plan, s.args); !done.ok())
      return std::move(done).at(program_->steps[i].label).in_node(program_->steps[i].name);
    if (timed) ANYDIM_TRY(finish_step(i, start, observed));
  }
  return {};
}

Status Context::finish_step(size_t i, int64_t start, bool observed) {
  const int32_t engine = program_->steps[i].engine;
  if (engine != 0) ANYDIM_TRY(devices_->finish(engine));  // times are each step's own
  const int64_t end = wall_clock();
  if (profiling_) nanoseconds_[i] = end - start;
  const BoundStep& s = steps_[i];
  if (!observed || s.primitive == nullptr) return {};
  observe::executed({s.primitive, program_->steps[i].label, s.args.in, s.args.post_in, s.args.out, s.args.dim_attributes,
                     s.args.parallel.threads(), start, end, s.plan.scratch, s.plan.specialised ? Tier::specialised : Tier::reusable});
  return {};
}

}  // namespace anydim
