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

namespace {

// Programs that were made for one call. Those that are not kept are dropped from the core at the end.
class DeviceCandidates {
 public:
  struct Candidate {
    PlanChoice choice;
    Plan plan;
    int64_t best = INT64_MAX;
  };
  explicit DeviceCandidates(const DeviceCall& call) : call_(call), core_(*call.primitive.core()) {}
  DeviceCandidates(const DeviceCandidates&) = delete;
  DeviceCandidates& operator=(const DeviceCandidates&) = delete;
  ~DeviceCandidates() {
    for (const Candidate& c : all_)
      if (c.choice.value[0] != kept_) core_.call_executables().drop(c.choice.value[0]);
  }

  // False: the time is over, or the engine makes no more of them.
  bool make(DeviceBench& bench) {
    PlanChoice choices[kMostDeviceCandidates];
    const int offered = core_.kernel().plan_choices(call_.args, choices);
    for (int i = 0; i < offered; ++i) {
      if (bench.over()) return false;
      Candidate c{choices[i], {}, INT64_MAX};
      bench.plan_of(c.choice, &c.plan);
      if (c.plan.scratch > call_.scratch_bytes) continue;
      ExecutablePtr executable;
      const Status made = core_.engine()->specialise(core_.kernel(), *core_.executable(), c.plan, call_.args, &executable);
      if (made.code() == Code::closed || made.code() == Code::forked) return false;
      if (!made.ok()) continue;  // that program is not available
      c.choice.value[0] = core_.call_executables().put(std::move(executable));
      bench.plan_of(c.choice, &c.plan);
      all_.push_back(c);
    }
    return true;
  }

  // The best time of each, and of the reusable program. False: the time is over.
  bool sample(DeviceBench& bench, int64_t* base) {
    for (int round = 0; round < kDeviceRounds; ++round) {
      *base = std::min(*base, bench.sample(bench.reusable));
      for (Candidate& c : all_) {
        if (bench.over()) return false;
        c.best = std::min(c.best, bench.sample(c.plan));
      }
    }
    return true;
  }

  size_t size() const noexcept { return all_.size(); }
  const Candidate& best() const {
    return *std::min_element(all_.begin(), all_.end(), [](const Candidate& a, const Candidate& b) { return a.best < b.best; });
  }
  void keep(const Candidate& c) noexcept { kept_ = c.choice.value[0]; }

 private:
  const DeviceCall& call_;
  const PrimitiveCore& core_;
  std::vector<Candidate> all_;
  int32_t kept_ = 0;  // none has this number
};

}  // namespace

TuneOutcome tune_device_call(const DeviceCall& call, const TuneOptions& options) {
  TuneOutcome outcome;
  const int64_t start = wall_clock();
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
  const DeviceThresholds thresholds = device_thresholds();
  if (outcome.baseline_ns < thresholds.shortest_call) return finish(true);
  DeviceCandidates candidates(call);
  if (!candidates.make(bench)) return finish(false);
  outcome.candidates = static_cast<int>(candidates.size());
  if (candidates.size() == 0) return finish(true);
  int64_t base = INT64_MAX;
  if (!candidates.sample(bench, &base)) return finish(false);
  const DeviceCandidates::Candidate& best = candidates.best();
  outcome.baseline_ns = base / bench.repeats;
  outcome.best_ratio = static_cast<double>(best.best) / static_cast<double>(base);
  if (outcome.best_ratio > thresholds.needed_ratio) return finish(true);
  PlanRatio ratio;
  if (!compare_on_device(bench, best.plan, &ratio)) return finish(false);
  if (bench.failed || ratio.high > thresholds.needed_ratio) return finish(true);
  candidates.keep(best);
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
