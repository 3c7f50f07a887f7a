// SPDX-License-Identifier: Apache-2.0
// Measuring the nodes of a context; see tuning.h. They are the context's own, bound to its memory, so that strides, post-ops and
// neighbours in the cache are those of real runs.
#include "core/run/context/tuning.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/base/clock.h"
#include "core/dispatch/tuning/device_tuner.h"
#include "core/dispatch/tuning/plan_records.h"

namespace anydim {

Status check_tunable(const Program& program) {
  const auto can_tune = [&](const Program::Step& s) {
    return s.transfer() == nullptr && (s.engine == 0 || program.engines[static_cast<size_t>(s.engine)]->specialises());
  };
  if (program.steps.empty() || std::any_of(program.steps.begin(), program.steps.end(), can_tune)) return {};
  return unimplemented("engine {} makes no programs for single calls, so there is nothing to tune", program.engines.back()->kind());
}

namespace {

// Those of bodies that ran in the last run, too, as their last run was.
void collect_tunable(const Context& c, std::vector<TunableNode>* nodes) {
  if (!c.ran()) return;
  const auto outer = [&](std::span<const TensorView> operands) {
    return c.binding().views().outer(operands, [&](int32_t buffer) { return c.binding().is_callers(buffer); });
  };
  for (size_t i = 0; i < c.program().steps.size(); ++i) {
    const Program::Step& s = c.program().steps[i];
    const BoundStep& n = c.binding().steps()[i];
    if (s.engine != 0 || n.primitive == nullptr || n.primitive->kernel().plan_revision() == 0 || n.args.out[0].count() == 0) continue;
    nodes->push_back({s.name, *n.primitive, n.args, n.plan.scratch, outer(n.args.in) || outer(n.args.post_in) || outer(n.args.out)});
  }
  for (const auto& control : c.controls())
    for (const auto& body : control->bodies()) collect_tunable(*body, nodes);
}

std::vector<size_t> tunable_on_devices(const Context& c) {
  std::vector<size_t> steps;
  for (size_t i = 0; i < c.program().steps.size(); ++i) {
    const BoundStep& n = c.binding().steps()[i];
    const Program::Step& s = c.program().steps[i];
    if (s.engine == 0 || s.transfer() != nullptr || n.primitive == nullptr ||
        !c.program().engines[static_cast<size_t>(s.engine)]->specialises())
      continue;
    if (n.primitive->kernel().plan_revision() != 0 && n.args.out[0].count() != 0) steps.push_back(i);
  }
  return steps;
}

bool is_stopped(const TuneRequest& request) noexcept {
  return request.options.stop != nullptr && request.options.stop->load(std::memory_order_relaxed);
}

NodeTuning report_of(const std::string& name, const Primitive& p, bool known, const TuneOutcome& outcome) {
  return {name, describe(p.op()), p.kernel().name(), known, outcome};
}

// The nodes of the host.
class HostTuning {
 public:
  HostTuning(const TuneRequest& request, std::span<const TunableNode> nodes) : request_(request), nodes_(nodes) {}

  void measure(int64_t all) {
    measured_.reserve(nodes_.size());
    for (const TunableNode& n : nodes_) {
      if (request_.progress) request_.progress(&n - nodes_.data(), all);
      if (is_stopped(request_)) break;
      if (request_.own_memory && n.outer) continue;
      const PrimitiveCore& core = *n.primitive.core();
      Measured& m = measured_.emplace_back();
      m.node = &n;
      m.key = request_.bucket ? bucket_key(n.args) : plan_key(n.args);
      m.known = !request_.again && core.tiers().has(m.key);
      // The reusable plan is what a gain is measured against.
      if (!m.known) m.outcome = tune_plan(*core.host_kernel(), n.args, n.scratch, request_.options);
      if (!m.outcome.swapped) record_outcome(m);
    }
  }

  // Every swap, each after all nodes have had their turn. The speed of a core changes for seconds (its clock, what runs on the other half
  // of it), and a plan that is 9 % faster at one time may be 10 % slower at another: who can wait sees more of them.
  void confirm() {
    constexpr int kConfirmations = 2;
    for (int i = 0; i < kConfirmations; ++i) {
      if (std::any_of(measured_.begin(), measured_.end(), [](const Measured& m) { return m.outcome.swapped; }))
        for (const int64_t until = wall_clock() + request_.confirm_interval_ns; wall_clock() < until && !is_stopped(request_);)
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
      for (Measured& m : measured_) {
        if (!m.outcome.swapped) continue;
        confirm_plan(*m.node->primitive.core()->host_kernel(), m.node->args, m.node->scratch, request_.options, &m.outcome);
        if (i + 1 == kConfirmations || !m.outcome.swapped) record_outcome(m);
      }
    }
  }

  void report(std::vector<NodeTuning>* out) const {
    for (const Measured& m : measured_) out->push_back(report_of(m.node->name, m.node->primitive, m.known, m.outcome));
  }
  // What is wrong with the record on disk.
  Status take_recorded() noexcept { return std::move(recorded_); }

 private:
  struct Measured {
    const TunableNode* node;
    uint64_t key = 0;
    bool known = false;
    TuneOutcome outcome;
  };
  // An entry without numbers says that the reusable plan is the best.
  void record_outcome(const Measured& m) {
    const PrimitiveCore& core = *m.node->primitive.core();
    core.tiers().add_tuning_time(m.outcome.nanoseconds);
    if (m.known || !m.outcome.complete) return;
    const TierEntry entry{m.key, m.outcome.choice, static_cast<float>(1 / m.outcome.ratio)};
    core.tiers().publish(entry);
    if (!request_.record) return;
    if (Status s = record_plans(core, {&entry, 1}); !s.ok() && recorded_.ok()) recorded_ = std::move(s);
  }

  const TuneRequest& request_;
  const std::span<const TunableNode> nodes_;
  std::vector<Measured> measured_;
  Status recorded_;
};

// The nodes of devices. A program for a call takes a compiler a second: those that take longest are first, until the time is over. Nothing
// is recorded on disk.
class DeviceTuning {
 public:
  DeviceTuning(const Context& context, const TuneRequest& request) : context_(context), request_(request), options_(request.options) {
    if (request.options.rest)
      options_.rest = [this] {
        const int64_t rested = request_.options.rest();
        end_ += rested;
        return rested;
      };
  }

  // `before`: nodes of the host, of `all`.
  void measure(int64_t before, int64_t all) {
    time_nodes();
    for (Node& n : nodes_) {
      if (request_.progress) request_.progress(before + (&n - nodes_.data()), all);
      if (n.known || is_over()) continue;
      // Layers of one kind may have met these dims a moment ago.
      if (!request_.again && core_of(n).tiers().has(n.key)) n.known = true;
      if (n.known) continue;
      at(n.step, [&](const DeviceCall& call) { n.outcome = tune_device_call(call, options_); });
      if (!n.outcome.swapped) record_outcome(n);
    }
    for (Node& n : nodes_) {
      if (!n.outcome.swapped) continue;
      at(n.step, [&](const DeviceCall& call) { confirm_device_choice(call, options_, &n.outcome); });
      record_outcome(n);
    }
  }

  void report(std::vector<NodeTuning>* out) const {
    for (const Node& n : nodes_) out->push_back(report_of(context_.program().steps[n.step].name, primitive_of(n), n.known, n.outcome));
  }

 private:
  struct Node {
    size_t step;
    uint64_t key;
    int64_t nanoseconds = 0;
    TuneOutcome outcome;
    bool known = false;
  };
  const BoundStep& bound(size_t step) const noexcept { return context_.binding().steps()[step]; }
  const Primitive& primitive_of(const Node& n) const noexcept { return *bound(n.step).primitive; }
  const PrimitiveCore& core_of(const Node& n) const noexcept { return *primitive_of(n).core(); }
  bool is_over() const noexcept { return wall_clock() > end_ || is_stopped(request_); }

  template <class Use> void at(size_t step, const Use& use) const {
    DeviceContext::StepPlaces places;
    context_.devices()->places_of(step, context_.binding().slots.values(), &places);
    const Program::Step& s = context_.program().steps[step];
    use(DeviceCall{*bound(step).primitive, *places.stream, bound(step).args,
                   std::span<const BufferRef>(places.in, static_cast<size_t>(s.inputs)),
                   std::span<const BufferRef>(places.out, static_cast<size_t>(s.outputs)),
                   std::span<const BufferRef>(places.post, static_cast<size_t>(s.post)), places.scratch, places.scratch_bytes});
  }

  void time_nodes() {
    for (const size_t step : tunable_on_devices(context_)) {
      if (is_over()) return nodes_.clear();
      Node& n = nodes_.emplace_back(Node{step, plan_key(bound(step).args)});
      n.known = !request_.again && core_of(n).tiers().has(n.key);
      if (!n.known) at(step, [&](const DeviceCall& call) { n.nanoseconds = time_device_call(call, options_); });
    }
    std::stable_sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) { return a.nanoseconds > b.nanoseconds; });
  }

  void record_outcome(const Node& n) const {
    core_of(n).tiers().add_tuning_time(n.outcome.nanoseconds);
    if (n.outcome.complete) core_of(n).tiers().publish({n.key, n.outcome.choice, static_cast<float>(1 / n.outcome.ratio)});
  }

  const Context& context_;
  const TuneRequest& request_;
  TuneOptions options_;
  int64_t end_ = wall_clock() + request_.device_budget_ns;  // rests do not count
  std::vector<Node> nodes_;
};

}  // namespace

Status with_tunable(Context& context, const std::function<void(std::span<const TunableNode>)>& use) {
  const ContextUse mine = context.use();
  ANYDIM_TRY(mine.status());
  if (!context.ran()) return invalid("nothing has been run in this context; it is tuned at the shape of the last run");
  context.restore_slots();
  std::vector<TunableNode> nodes;
  collect_tunable(context, &nodes);
  const Parallel::Hot hot(context.parallel());
  use(nodes);
  context.forget_outputs();  // nodes out of their order have overwritten them
  return {};
}

Status tune(Context& context, const TuneRequest& request, std::vector<NodeTuning>* report) {
  ANYDIM_TRY(check_tunable(context.program()));
  Status recorded;
  ANYDIM_TRY(with_tunable(context, [&](std::span<const TunableNode> nodes) {
    const bool devices = context.devices() != nullptr && !request.bucket;
    const auto here = static_cast<int64_t>(nodes.size());
    const auto all = here + static_cast<int64_t>(devices ? tunable_on_devices(context).size() : 0);
    HostTuning host(request, nodes);
    host.measure(all);
    host.confirm();
    if (report != nullptr) host.report(report);
    recorded = host.take_recorded();
    if (all > here) {
      DeviceTuning there(context, request);
      there.measure(here, all);
      if (report != nullptr) there.report(report);
    }
    if (request.progress && !is_stopped(request)) request.progress(all, all);
  }));
  return recorded;
}

}  // namespace anydim
