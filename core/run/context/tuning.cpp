// SPDX-License-Identifier: Apache-2.0
// The specialised tier of a program: measuring the plans of every node of a context at the shape it ran last, the background
// worker's request for it, and what a context with the policy `specialised` does when it is made. The measured nodes are
// the context's own, bound to its memory, so that strides, post-ops and neighbours in the cache are those of real runs.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/base/clock.h"
#include "core/dispatch/tuning/device_tuner.h"
#include "core/dispatch/tuning/plan_records.h"
#include "core/dispatch/tuning/worker.h"
#include "core/run/context/context.h"
#include "core/run/context/context_use.h"
#include "core/run/context/device_context.h"

namespace anydim {

namespace {

// Values that look like activations; integers are 1, which is a valid index, count and boolean nearly everywhere.
void fill(const TensorView& t, uint32_t seed) {
  const int64_t n = t.count();
  if (t.dtype == DType::f32) {
    for (int64_t i = 0; i < n; ++i) {
      seed = seed * 1664525u + 1013904223u;
      t.as<float>()[i] = static_cast<float>(static_cast<int32_t>(seed)) / 2147483648.f;
    }
  } else if (dtype_size(t.dtype) <= 8 && t.dtype != DType::f64 && t.dtype != DType::f16 && t.dtype != DType::bf16) {
    const int64_t one = 1;
    for (int64_t i = 0; i < n; ++i)
      std::memcpy(static_cast<std::byte*>(t.data) + i * dtype_size(t.dtype), &one, static_cast<size_t>(dtype_size(t.dtype)));
  }
}

// Inputs of these dims in the orders that the program wants.
Status make_inputs(const Program& program, std::span<const Dims> dims, std::vector<HostTensor>* memory, std::vector<TensorView>* views) {
  for (size_t i = 0; i < dims.size(); ++i) {
    HostTensor t;
    ANYDIM_TRY(HostTensor::allocate(program.inputs[i].dtype, dims[i], &t));
    t.view.strides = dense_strides(dims[i], program.inputs[i].order);
    fill(t.view, static_cast<uint32_t>(i + 1));
    views->push_back(t.view);
    memory->push_back(std::move(t));
  }
  return {};
}

}  // namespace

Status Context::tunable() const {
  const auto can_tune = [this](const Program::Step& s) {
    return s.transfer() == nullptr && (s.engine == 0 || program_->engines[static_cast<size_t>(s.engine)]->specialises());
  };
  if (program_->steps.empty() || std::any_of(program_->steps.begin(), program_->steps.end(), can_tune)) return {};
  return unimplemented("engine {} makes no programs for single calls, so there is nothing to tune", program_->engines.back()->kind());
}

Status Context::with_tunable(const std::function<void(std::span<const TunableNode>)>& use) {
  const ContextUse mine(busy_);
  ANYDIM_TRY(mine.status());
  if (!ran_) return invalid("nothing has been run in this context; it is tuned at the shape of the last run");
  std::vector<TunableNode> nodes;
  collect_tunable(&nodes);
  const Parallel::Hot hot(parallel_);
  use(nodes);
  forget_outputs();
  return {};
}

// Those of bodies that ran in the last run, too, as their last run was.
void Context::collect_tunable(std::vector<TunableNode>* nodes) {
  if (!ran_) return;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const BoundStep& n = steps_[i];
    if (program_->steps[i].transfer() != nullptr || program_->steps[i].engine != 0) continue;
    if (n.primitive == nullptr || n.primitive->kernel().plan_revision() == 0 || n.args.out[0].count() == 0) continue;
    nodes->push_back({program_->steps[i].name, *n.primitive, n.args, n.plan.scratch,
                      views_.outer(n.args.in) || views_.outer(n.args.post_in) || views_.outer(n.args.out)});
  }
  for (const auto& c : controls_)
    for (const auto& body : c->bodies()) body->collect_tunable(nodes);
}

// They were overwritten by nodes out of their order.
void Context::forget_outputs() noexcept {
  bound_ = ran_ = false;
  for (const auto& c : controls_)
    for (const auto& body : c->bodies()) body->forget_outputs();
}

Status Context::tune(const TuneRequest& request, std::vector<NodeTuning>* report) {
  // Of every swap, each after all nodes have had their turn. A core has moods that last for seconds (its clock, what runs on the
  // other half of it), and a plan that is 9 % faster in one may be 10 % slower in the other: who can wait sees more of them.
  constexpr int kConfirmations = 2;
  struct Tuned {
    const TunableNode* node;
    uint64_t key = 0;
    bool known = false;
    TuneOutcome outcome;
  };
  ANYDIM_TRY(tunable());
  Status recorded;
  // An entry without numbers says that the reusable plan is the best.
  const auto record_outcome = [&](const Tuned& t) {
    const PrimitiveCore& core = *t.node->primitive.core();
    core.tiers().add_tuning_time(t.outcome.nanoseconds);
    if (t.known || !t.outcome.complete) return;
    const TierEntry entry{t.key, t.outcome.choice, static_cast<float>(1 / t.outcome.ratio)};
    core.tiers().publish(entry);
    if (!request.record) return;
    if (Status s = record_plans(core, {&entry, 1}); !s.ok() && recorded.ok()) recorded = std::move(s);
  };
  const auto stopped = [&] { return request.options.stop && request.options.stop->load(std::memory_order_relaxed); };
  const auto tune_all = [&](std::span<const TunableNode> nodes) {
    std::vector<Tuned> all;
    all.reserve(nodes.size());
    const auto here = static_cast<int64_t>(nodes.size());
    const int64_t there = static_cast<int64_t>(devices_ != nullptr && !request.bucket ? tunable_on_devices().size() : 0);
    for (const TunableNode& n : nodes) {
      if (request.progress) request.progress(&n - nodes.data(), here + there);
      if (stopped()) break;
      if (request.own_memory && n.outer) continue;
      const PrimitiveCore& core = *n.primitive.core();
      Args there = n.args;
      there.parallel = there.parallel.with(request.threads);
      Tuned& t = all.emplace_back();
      t.node = &n;
      t.key = request.bucket ? bucket_key(there) : plan_key(there);
      t.known = !request.again && core.tiers().has(t.key);
      // The reusable plan is what a gain is measured against.
      if (!t.known) t.outcome = tune_plan(*core.host_kernel(), n.args, n.scratch, request.options);
      if (!t.outcome.swapped) record_outcome(t);
    }
    const auto pending = [](const Tuned& t) { return t.outcome.swapped; };
    for (int i = 0; i < kConfirmations; ++i) {
      if (std::any_of(all.begin(), all.end(), pending))
        for (const int64_t until = wall_clock() + request.confirm_interval_ns; wall_clock() < until && !stopped();)
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
      for (Tuned& t : all) {
        if (!t.outcome.swapped) continue;
        confirm_plan(*t.node->primitive.core()->host_kernel(), t.node->args, t.node->scratch, request.options, &t.outcome);
        if (i + 1 == kConfirmations || !t.outcome.swapped) record_outcome(t);
      }
    }
    if (report != nullptr)
      for (const Tuned& t : all) {
        const Primitive& p = t.node->primitive;
        report->push_back({t.node->name, describe(p.op()), p.kernel().name(), t.known, t.outcome});
      }
    if (there > 0) tune_on_devices(request, here, here + there, report);
    if (request.progress && !stopped()) request.progress(here + there, here + there);
  };
  ANYDIM_TRY(with_tunable(tune_all));
  return recorded;
}

std::vector<size_t> Context::tunable_on_devices() const {
  std::vector<size_t> steps;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Primitive* const primitive = steps_[i].primitive;
    const Program::Step& s = program_->steps[i];
    if (s.engine == 0 || s.transfer() != nullptr || primitive == nullptr ||
        !program_->engines[static_cast<size_t>(s.engine)]->specialises())
      continue;
    if (primitive->kernel().plan_revision() != 0 && steps_[i].args.out[0].count() != 0) steps.push_back(i);
  }
  return steps;
}

// A program for a call takes a compiler a second: those that take longest are first, until the time is over. Nothing is recorded on disk.
void Context::tune_on_devices(const TuneRequest& request, int64_t before, int64_t all, std::vector<NodeTuning>* report) {
  struct Node {
    size_t step;
    uint64_t key;
    int64_t nanoseconds;
    TuneOutcome outcome;
    bool known;
  };
  const auto at = [&](size_t step, const auto& use) {
    DeviceContext::StepPlaces places;
    devices_->places_of(step, slots_, &places);
    const Program::Step& s = program_->steps[step];
    use(DeviceCall{*steps_[step].primitive, *places.stream, steps_[step].args,
                   std::span<const BufferRef>(places.in, static_cast<size_t>(s.inputs)),
                   std::span<const BufferRef>(places.out, static_cast<size_t>(s.outputs)),
                   std::span<const BufferRef>(places.post, static_cast<size_t>(s.post)), places.scratch, places.scratch_bytes});
  };
  int64_t end = wall_clock() + request.device_budget_ns;  // rests do not count
  TuneOptions options = request.options;
  if (request.options.rest)
    options.rest = [&] {
      const int64_t rested = request.options.rest();
      end += rested;
      return rested;
    };
  const auto over = [&] { return wall_clock() > end || (request.options.stop && request.options.stop->load(std::memory_order_relaxed)); };
  std::vector<Node> nodes;
  for (const size_t step : tunable_on_devices()) {
    if (over()) return;
    const Primitive& primitive = *steps_[step].primitive;
    const uint64_t key = plan_key(steps_[step].args);
    Node& n = nodes.emplace_back(Node{step, key, 0, {}, !request.again && primitive.core()->tiers().has(key)});
    if (!n.known) at(step, [&](const DeviceCall& call) { n.nanoseconds = time_device_call(call, options); });
  }
  std::stable_sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.nanoseconds > b.nanoseconds; });
  const auto record_outcome = [&](const Node& n) {
    const PrimitiveCore& core = *steps_[n.step].primitive->core();
    core.tiers().add_tuning_time(n.outcome.nanoseconds);
    if (n.outcome.complete) core.tiers().publish({n.key, n.outcome.choice, static_cast<float>(1 / n.outcome.ratio)});
  };
  for (Node& n : nodes) {
    if (request.progress) request.progress(before + (&n - nodes.data()), all);
    if (n.known || over()) continue;
    // Layers of one kind may have met these dims a moment ago.
    if (!request.again && steps_[n.step].primitive->core()->tiers().has(n.key)) n.known = true;
    if (n.known) continue;
    at(n.step, [&](const DeviceCall& call) { n.outcome = tune_device_call(call, options); });
    if (!n.outcome.swapped) record_outcome(n);
  }
  for (Node& n : nodes) {
    if (!n.outcome.swapped) continue;
    at(n.step, [&](const DeviceCall& call) { confirm_device_choice(call, options, &n.outcome); });
    record_outcome(n);
  }
  if (report == nullptr) return;
  for (const Node& n : nodes) {
    const Primitive& p = *steps_[n.step].primitive;
    report->push_back({program_->steps[n.step].name, describe(p.op()), p.kernel().name(), n.known, n.outcome});
  }
}

namespace {

const char* tune_in_background(const std::shared_ptr<const void>& owner, const WorkRequest& request, const std::atomic<bool>& stop) {
  const auto program = std::static_pointer_cast<const Program>(owner);
  const std::vector<Dims> dims = request.shape_dims();
  ContextOptions options;
  options.reuse = ReusePolicy::reusable;
  options.parallel = Parallel::in_turns(request.shape_threads());
  std::unique_ptr<Context> context;
  if (!Context::create(program, options, &context).ok()) return "no context";
  std::vector<HostTensor> memory;
  std::vector<TensorView> in, out(program->outputs.size());
  if (!make_inputs(*program, dims, &memory, &in).ok()) return "no memory for inputs";
  // Reserving reports how much a run takes before its pages are used.
  if (!context->reserve(in).ok()) return "the shape does not bind";
  int64_t arenas = context->arena_bytes();
  for (size_t e = 1; e < program->engines.size(); ++e) arenas = saturating_add(arenas, context->arena_bytes(static_cast<int32_t>(e)));
  if (arenas > Worker::instance().limits().bytes) return "a run takes more memory than the worker may use";
  if (!context->run(in, out).ok()) return "the run failed";
  Context::TuneRequest tune;
  tune.options.stop = &stop;
  tune.options.clock = thread_clock;
  tune.options.splits = false;
  tune.own_memory = true;
  tune.confirm_interval_ns = 700 * 1000 * 1000;
  tune.options.rest = [&stop] { return Worker::instance().rest(stop); };
  tune.threads = request.shape_threads();
  const WorkerStatistics worked = Worker::instance().statistics();
  tune.device_budget_ns = Worker::instance().limits().seconds * 1000000000 - worked.nanoseconds;
  const bool tuned = context->tune(tune, nullptr).ok();
  // A process that ends may be past its drivers' end, so that none of their state is touched.
  if (stop.load() && !program->host_only()) (void)context.release();
  return tuned ? nullptr : "tuning failed";
}

}  // namespace

void Context::request_tuning() const noexcept {
  if (!tunable().ok()) return;
  WorkRequest request;
  request.run = tune_in_background;
  request.begin_shape(parallel_.threads());
  for (const TensorView& t : in_)
    if (!request.add_dims(t.dims)) return;
  request.owner = program_;
  Worker::instance().push(std::move(request));
}

// At the bounds' upper ends; and, where one dim alone may vary, at the upper end of each of its buckets, for the bucket.
Status Context::specialise(const ContextOptions& options) {
  constexpr size_t kMostBuckets = 8;
  if (!tunable().ok()) return {};
  std::vector<Dims> most;
  int64_t* varying = nullptr;
  int64_t least = 0;
  int varies = 0;
  for (const Program::IoSpec& e : program_->inputs) {
    Dims d;
    for (int a = 0; a < e.dims.rank; ++a) {
      const bool fixed = e.dims[a].is_number();
      if (!fixed && !bounded_) return {};  // nothing says which dims are to come
      d.push_back(fixed ? e.dims[a].number() : bounds_[most.size()].dims[a].max);
    }
    most.push_back(d);
  }
  for (size_t i = 0; i < most.size(); ++i)
    for (int a = 0; a < most[i].rank; ++a)
      if (bounded_ && bounds_[i].dims[a].min < bounds_[i].dims[a].max) {
        ++varies;
        varying = &most[i][a];
        least = bounds_[i].dims[a].min;
      }
  int64_t left = options.tuning_budget_ns;
  const auto tune_here = [&](bool bucket) -> Status {
    std::vector<HostTensor> memory;
    std::vector<TensorView> in, out(program_->outputs.size());
    ANYDIM_TRY(make_inputs(*program_, most, &memory, &in));
    // Dims that the model refuses (a width that is no multiple of 32, say) are not measured.
    if (!run(in, out).ok()) return {};
    TuneRequest request;
    request.threads = parallel_.threads();
    request.record = false;  // what is measured for a context's making is not worth a wait for the disk
    request.bucket = bucket;
    request.options.budget_ns = std::min<int64_t>(request.options.budget_ns, left);
    request.device_budget_ns = left;
    std::vector<NodeTuning> report;
    ANYDIM_TRY(tune(request, &report));
    for (const NodeTuning& n : report) left -= n.outcome.nanoseconds;
    return {};
  };
  ANYDIM_TRY(tune_here(false));
  if (varies != 1) return {};
  std::vector<int64_t> buckets;
  for (int64_t v = least; v <= *varying; v = bucket_of(v) + 1) buckets.push_back(std::min(bucket_of(v), *varying));
  // The largest first: there is most to win.
  for (size_t i = 0; i < buckets.size() && i < kMostBuckets && left > 0; ++i) {
    *varying = buckets[buckets.size() - 1 - i];
    ANYDIM_TRY(tune_here(true));
  }
  return {};
}

}  // namespace anydim
