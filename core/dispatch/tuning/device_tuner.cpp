// SPDX-License-Identifier: Apache-2.0
// Makes, measures and publishes a device's programs for single calls; see device_tuner.h.
#include "core/dispatch/tuning/device_tuner.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/dispatch/observe/counters.h"
#include "core/kernels/device_kernel.h"

namespace anydim {

namespace {

constexpr size_t kMostDeviceCandidates = 4;     // each is a program to be compiled
constexpr int64_t kDeviceSample = 1000 * 1000;  // ns: waiting for a device takes a twentieth of it
constexpr int kDeviceRounds = 3, kDevicePairs = 15;

std::atomic<double> needed_ratio{DeviceThresholds().needed_ratio};
std::atomic<int64_t> shortest_call{DeviceThresholds().shortest_call};

class DeviceBench {
 public:
  DeviceBench(const DeviceCall& call, const TuneOptions& options)
      : call_(call), options_(options), clock_(call.primitive.engine().clocks().elapsed) {
    plan_of({}, &reusable);
  }

  void plan_of(const PlanChoice& choice, Plan* plan) const {
    Args args = call_.args;
    args.choice = choice == PlanChoice{} ? nullptr : &choice;
    call_.primitive.kernel().plan(args, plan);
    plan->specialised = args.choice != nullptr;
  }
  // Of all repeats; -1: the device failed.
  int64_t sample(const Plan& plan) {
    const int64_t start = clock_();
    for (int64_t i = 0; i < repeats && !failed; ++i) {
      std::vector<BufferRef> in(call_.in.begin(), call_.in.end());
      failed = !call_.primitive.launch(call_.stream, plan, call_.args, in, call_.out, call_.post_in, call_.scratch).ok();
    }
    failed |= !call_.stream.wait().ok();
    return failed ? -1 : std::max<int64_t>(1, clock_() - start);
  }
  bool over() const {
    if (options_.rest) options_.rest();
    return failed || (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed));
  }
  // One run as it is now, after one that brings everything near.
  int64_t aim() {
    repeats = 1;
    sample(reusable);
    const int64_t once = sample(reusable);
    if (once <= 0) return -1;
    repeats = std::max<int64_t>(1, kDeviceSample / once);
    const int64_t all = sample(reusable);
    return all <= 0 ? -1 : all / repeats;
  }

  Plan reusable;
  int64_t repeats = 1;
  bool failed = false;

 private:
  const DeviceCall& call_;
  const TuneOptions& options_;
  const Clock clock_;  // the device's work is not on this thread
};

bool compare_on_device(DeviceBench& bench, const Plan& plan, PlanRatio* out) {
  return compare_samples([&](bool ours) { return bench.sample(ours ? plan : bench.reusable); }, kDevicePairs, [&] { return bench.over(); },
                         out);
}

void conclude(const PlanRatio& r, TuneOutcome* outcome) {
  outcome->ratio = r.ratio;
  outcome->low = r.low;
  outcome->high = r.high;
}

}  // namespace

DeviceThresholds device_thresholds() noexcept {
  return {needed_ratio.load(std::memory_order_relaxed), shortest_call.load(std::memory_order_relaxed)};
}
void set_device_thresholds(const DeviceThresholds& thresholds) noexcept {
  needed_ratio.store(thresholds.needed_ratio);
  shortest_call.store(thresholds.shortest_call);
}

void drop_device_choice(const Primitive& primitive, TuneOutcome* outcome) {
  primitive.core()->call_executables().drop(outcome->choice.value[0]);
  outcome->swapped = false;
  outcome->choice = {};
  outcome->ratio = outcome->low = outcome->high = 1;
}

int64_t time_device_call(const DeviceCall& call, const TuneOptions& options) { return DeviceBench(call, options).aim(); }

TuneOutcome tune_device_call(const DeviceCall& call, const TuneOptions& options) {
  TuneOutcome outcome;
  const int64_t start = wall_clock();
  const PrimitiveCore& core = *call.primitive.core();
  DeviceBench bench(call, options);
  const auto finish = [&](bool complete) {
    outcome.complete = complete && !bench.failed;
    outcome.nanoseconds = wall_clock() - start;
    count(Counter::tuning_nanoseconds, outcome.nanoseconds);
    if (outcome.complete) count(Counter::plans_tuned);
    return outcome;
  };
  outcome.baseline_ns = bench.aim();
  if (outcome.baseline_ns < 0) return finish(false);
  if (outcome.baseline_ns < device_thresholds().shortest_call) return finish(true);

  struct Candidate {
    PlanChoice choice;
    Plan plan;
    int64_t best = INT64_MAX;
  };
  std::vector<Candidate> candidates;
  const auto drop_but = [&](int32_t number) {
    for (const Candidate& c : candidates)
      if (c.choice.value[0] != number) core.call_executables().drop(c.choice.value[0]);
  };
  PlanChoice choices[kMostDeviceCandidates];
  const int offered = core.kernel().plan_choices(call.args, choices);
  for (int i = 0; i < offered; ++i) {
    if (bench.over()) {
      drop_but(0);
      return finish(false);
    }
    Candidate c{choices[i], {}, INT64_MAX};
    bench.plan_of(c.choice, &c.plan);
    if (c.plan.scratch > call.scratch_bytes) continue;
    ExecutablePtr executable;
    const Status made = core.engine()->specialise(core.kernel(), *core.executable(), c.plan, call.args, &executable);
    if (made.code() == Code::closed || made.code() == Code::forked) {
      drop_but(0);
      return finish(false);
    }
    if (!made.ok()) continue;  // that program is not available
    c.choice.value[0] = core.call_executables().put(std::move(executable));
    bench.plan_of(c.choice, &c.plan);
    candidates.push_back(c);
  }
  outcome.candidates = static_cast<int>(candidates.size());
  if (candidates.empty()) return finish(true);

  int64_t base = INT64_MAX;
  for (int round = 0; round < kDeviceRounds; ++round) {
    base = std::min(base, bench.sample(bench.reusable));
    for (Candidate& c : candidates) {
      if (bench.over()) {
        drop_but(0);
        return finish(false);
      }
      c.best = std::min(c.best, bench.sample(c.plan));
    }
  }
  const Candidate& best =
      *std::min_element(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.best < b.best; });
  outcome.baseline_ns = base / bench.repeats;
  outcome.best_ratio = static_cast<double>(best.best) / static_cast<double>(base);
  PlanRatio ratio;
  const bool hopeless = outcome.best_ratio > device_thresholds().needed_ratio;
  const bool whole = hopeless || compare_on_device(bench, best.plan, &ratio);
  if (hopeless || !whole || bench.failed || ratio.high > device_thresholds().needed_ratio) {
    drop_but(0);
    return finish(whole);
  }
  drop_but(best.choice.value[0]);
  outcome.swapped = true;
  outcome.choice = best.choice;
  conclude(ratio, &outcome);
  return finish(true);
}

void confirm_device_choice(const DeviceCall& call, const TuneOptions& options, TuneOutcome* outcome) {
  if (!outcome->swapped) return;
  const int64_t start = wall_clock();
  DeviceBench bench(call, options);
  Plan plan;
  bench.plan_of(outcome->choice, &plan);
  PlanRatio ratio;
  outcome->complete = bench.aim() > 0 && compare_on_device(bench, plan, &ratio) && !bench.failed;
  if (outcome->complete && ratio.high <= device_thresholds().needed_ratio) conclude(ratio, outcome);
  else drop_device_choice(call.primitive, outcome);
  outcome->nanoseconds += wall_clock() - start;
  count(Counter::tuning_nanoseconds, wall_clock() - start);
}

}  // namespace anydim
