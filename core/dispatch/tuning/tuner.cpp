// SPDX-License-Identifier: Apache-2.0
// Choosing among plans by measurement; see tuner.h.
#include "core/dispatch/tuning/tuner.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/dispatch/observe/counters.h"

namespace anydim {

namespace {

constexpr size_t kMostCandidates = 48;
constexpr int64_t kSample = 60 * 1000;  // ns: a sample is at least this long, so that the clock does not count
constexpr int kRounds = 5;              // samples of each candidate while choosing
constexpr int kPairs = 15;              // of the confirmation
// Below a gain of 1 % at the interval's worse end a swap is not worth its entry.
constexpr double kWorthwhile = 0.99;

// How many of n sorted values lie below the 95 % interval of their median, and as many above it: each value is on either side
// with probability 1/2, so that a side is missed with the sum of a binomial's tail. Of 15 it is 3 (96.5 %).
constexpr int below_interval(int n) noexcept {
  double tail = 1;
  for (int i = 0; i < n; ++i) tail /= 2;
  double term = tail;
  int k = 0;
  while (true) {
    term = term * (n - k) / (k + 1);
    if (tail + term > 0.025) return k;
    tail += term;
    ++k;
  }
}
static_assert(below_interval(6) == 0 && below_interval(15) == 3 && below_interval(41) == 13);

int64_t median(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Bench {
 public:
  Bench(const HostKernel& kernel, const Args& args, int64_t scratch_bytes, Clock clock)
      : kernel_(kernel), args_(args), scratch_(scratch_bytes), clock_(clock) {}

  // False: the plan wants more scratch than there is.
  bool make_plan(const PlanChoice* choice, Plan* plan) const {
    Args args = args_;
    args.choice = choice;
    kernel_.plan(args, plan);
    return plan->scratch <= scratch_;
  }
  int64_t sample(const Plan& plan) const {
    const int64_t start = clock_();
    for (int64_t i = 0; i < repeats; ++i) (void)kernel_.run(plan, args_);
    return std::max<int64_t>(1, clock_() - start);
  }
  // So that a sample of a plan that takes so long is not too short.
  void aim_at(int64_t nanoseconds) { repeats = std::max<int64_t>(1, kSample / std::max<int64_t>(1, nanoseconds)); }

  // `pairs` times both plans, which of them first changing; false if `over` says so before.
  template <class Over> bool compare(const Plan& plan, const Plan& baseline, int pairs, const Over& over, PlanRatio* out) const {
    const auto one = [&](bool ours) { return sample(ours ? plan : baseline); };
    if (!compare_samples(one, pairs, over, out)) return false;
    out->baseline_ns /= repeats;
    return true;
  }
  int64_t repeats = 1;

 private:
  const HostKernel& kernel_;
  const Args& args_;
  int64_t scratch_;
  Clock clock_;
};

// Of one measuring: rests do not count.
class Budget {
 public:
  explicit Budget(const TuneOptions& options) : options_(options) {}
  bool over() {
    if (options_.rest) rests_ += options_.rest();
    return nanoseconds() > options_.budget_ns || (options_.stop && options_.stop->load(std::memory_order_relaxed));
  }
  int64_t nanoseconds() const noexcept { return wall_clock() - start_ - rests_; }

 private:
  const TuneOptions& options_;
  const int64_t start_ = wall_clock();
  int64_t rests_ = 0;
};

}  // namespace

bool compare_samples(const std::function<int64_t(bool ours)>& sample, int pairs, const std::function<bool()>& over, PlanRatio* out) {
  std::vector<double> ratios;
  std::vector<int64_t> base;
  for (int i = 0; i < pairs; ++i) {
    if (over()) return false;
    int64_t a, b;
    if (i % 2 == 0) a = sample(false), b = sample(true);
    else b = sample(true), a = sample(false);
    ratios.push_back(static_cast<double>(b) / static_cast<double>(a));
    base.push_back(a);
  }
  std::sort(ratios.begin(), ratios.end());
  const auto count = static_cast<size_t>(pairs), below = static_cast<size_t>(below_interval(pairs));
  *out = {ratios[count / 2], ratios[below], ratios[count - 1 - below], median(std::move(base))};
  return true;
}

namespace {

struct PlanCandidate {
  PlanChoice choice;
  Plan plan;
  int64_t best = INT64_MAX;
};

std::vector<PlanCandidate> candidates_of(const HostKernel& kernel, const Args& args, const TuneOptions& options, Bench& bench) {
  std::array<PlanChoice, kMostCandidates> choices;
  Args query = args;
  if (!options.splits) query.parallel = Parallel(1);  // whose choices leave the cut to the cost model
  const int offered = kernel.plan_choices(query, choices);
  std::vector<PlanCandidate> candidates;
  if (options.baseline) {  // then the cost model's own plan is one to be tried; it is the choice without numbers
    candidates.emplace_back();
    if (!bench.make_plan(nullptr, &candidates.back().plan)) candidates.pop_back();
  }
  for (int i = 0; i < offered; ++i) {
    candidates.push_back({choices[static_cast<size_t>(i)], {}, INT64_MAX});
    if (!bench.make_plan(&candidates.back().choice, &candidates.back().plan)) candidates.pop_back();
  }
  return candidates;
}

// The best time of each, and of the baseline. Those that are clearly behind leave. False: the time is over.
template <class Over>
bool sample_in_rounds(Bench& bench, const Plan& baseline, const Over& out_of_time, std::vector<PlanCandidate>* candidates, int64_t* base) {
  for (int round = 0; round < kRounds && !candidates->empty(); ++round) {
    *base = std::min(*base, bench.sample(baseline));
    int64_t least = *base;
    for (size_t i = 0; i < candidates->size(); ++i) {
      if (out_of_time()) return false;
      PlanCandidate& c = (*candidates)[(i + static_cast<size_t>(round)) % candidates->size()];
      c.best = std::min(c.best, bench.sample(c.plan));
      least = std::min(least, c.best);
    }
    std::erase_if(*candidates, [&](const PlanCandidate& c) { return c.best > least + least / 4; });
  }
  return true;
}

}  // namespace

TuneOutcome tune_plan(const HostKernel& kernel, const Args& args, int64_t scratch_bytes, const TuneOptions& options) {
  TuneOutcome outcome;
  Budget budget(options);
  const auto out_of_time = [&] { return budget.over(); };
  const auto finish = [&](bool complete = true) {
    outcome.complete = complete;
    outcome.nanoseconds = budget.nanoseconds();
    count(Counter::tuning_nanoseconds, outcome.nanoseconds);
    if (complete) count(Counter::plans_tuned);
    return outcome;
  };
  const FloatingPointScope floating_point;
  Bench bench(kernel, args, scratch_bytes, options.clock);
  Plan baseline;
  if (!bench.make_plan(options.baseline, &baseline)) return finish();
  bench.sample(baseline);
  outcome.baseline_ns = std::max<int64_t>(1, bench.sample(baseline));
  bench.aim_at(outcome.baseline_ns);

  std::vector<PlanCandidate> candidates = candidates_of(kernel, args, options, bench);
  outcome.candidates = static_cast<int>(candidates.size());
  if (candidates.empty()) return finish();

  int64_t base = INT64_MAX;
  if (!sample_in_rounds(bench, baseline, out_of_time, &candidates, &base)) return finish(false);
  if (candidates.empty()) return finish();
  outcome.baseline_ns = base / bench.repeats;
  const PlanCandidate& best = *std::min_element(candidates.begin(), candidates.end(),
                                                [](const PlanCandidate& a, const PlanCandidate& b) { return a.best < b.best; });
  outcome.best_ratio = static_cast<double>(best.best) / static_cast<double>(base);
  if (outcome.best_ratio > kWorthwhile) return finish();

  PlanRatio confirmed;
  if (!bench.compare(best.plan, baseline, kPairs, out_of_time, &confirmed)) return finish(false);
  if (confirmed.high > kWorthwhile) return finish();
  outcome.swapped = true;
  outcome.choice = best.choice;
  outcome.ratio = confirmed.ratio;
  outcome.low = confirmed.low;
  outcome.high = confirmed.high;
  return finish();
}

void confirm_plan(const HostKernel& kernel, const Args& args, int64_t scratch_bytes, const TuneOptions& options, TuneOutcome* outcome) {
  if (!outcome->swapped) return;
  Budget budget(options);
  const FloatingPointScope floating_point;
  Bench bench(kernel, args, scratch_bytes, options.clock);
  Plan ours, theirs;
  PlanRatio ratio;
  const bool usable = bench.make_plan(&outcome->choice, &ours) && bench.make_plan(options.baseline, &theirs);
  if (usable) {
    bench.aim_at(outcome->baseline_ns);
    bench.sample(theirs);
    bench.sample(ours);
    outcome->complete = bench.compare(
        ours, theirs, kPairs, [&] { return budget.over(); }, &ratio);
  }
  outcome->swapped = usable && outcome->complete && ratio.high <= kWorthwhile;
  if (outcome->swapped) {
    outcome->ratio = ratio.ratio;
    outcome->low = ratio.low;
    outcome->high = ratio.high;
  } else {
    outcome->choice = {};
    outcome->ratio = outcome->low = outcome->high = 1;
  }
  outcome->nanoseconds += budget.nanoseconds();
  count(Counter::tuning_nanoseconds, budget.nanoseconds());
}

PlanRatio compare_plans(const HostKernel& kernel, const Args& args, int64_t scratch_bytes, const PlanChoice* choice,
                        const PlanChoice* baseline, int pairs, Clock clock) {
  const FloatingPointScope floating_point;
  Bench bench(kernel, args, scratch_bytes, clock);
  Plan ours, theirs;
  PlanRatio ratio;
  // A choice that cannot be used is not used in a run either.
  if (!bench.make_plan(choice, &ours) || !bench.make_plan(baseline, &theirs)) return ratio;
  bench.sample(theirs);
  bench.aim_at(bench.sample(theirs));
  bench.sample(ours);
  bench.compare(
      ours, theirs, pairs, [] { return false; }, &ratio);
  return ratio;
}

}  // namespace anydim
