// SPDX-License-Identifier: Apache-2.0
// Measures a host kernel's plans against each other on given arguments. What is chosen and what is reported come from separate
// samples, taken in pairs and interleaved, so that a slow minute of the machine meets both sides and luck in choosing does
// not count as gain. Never called on a call's own time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "core/dispatch/tuning/tiers.h"
#include "core/base/clock.h"
#include "core/engines/engine.h"

namespace anydim {

struct TuneOptions {
  int64_t budget_ns = INT64_C(200) * 1000 * 1000;  // for one call of tune_plan; at its end the reusable plan is kept
  const PlanChoice* baseline = nullptr;            // instead of the cost model's plan; tests plant bad ones
  const std::atomic<bool>* stop = nullptr;         // looked at between samples
  bool splits = true;                              // also other ways to cut work over threads; not where they take turns
  Clock clock = wall_clock;                        // of samples; the budget is always the wall's
  std::function<int64_t()> rest;                   // called between samples; the ns it returns count for no budget
};

struct TuneOutcome {
  bool complete = false;  // neither the budget nor `stop` ended it before there was an answer
  bool swapped = false;   // a plan was found that is faster with confidence
  PlanChoice choice;
  int candidates = 0;  // plans measured beside the baseline
  // Time of the chosen plan divided by the baseline's: median of paired samples and its 95 % interval. 1 if none was chosen.
  double ratio = 1, low = 1, high = 1;
  double best_ratio = 1;                     // as it looked while choosing, of the best candidate
  int64_t baseline_ns = 0, nanoseconds = 0;  // of one run; spent here
};

// `args` as for run(), with scratch of `scratch_bytes`. Runs the kernel many times: outputs are overwritten.
TuneOutcome tune_plan(const HostKernel& kernel, const Args& args, int64_t scratch_bytes, const TuneOptions& options);

// Measures a plan that tune_plan() chose once more, and takes it back unless it is faster with confidence again. A gain that comes
// and goes (with the clock of a core, with what a neighbour does to a cache) is the same for all of one moment's samples, so
// whoever tunes confirms every choice some time after it was made.
void confirm_plan(const HostKernel& kernel, const Args& args, int64_t scratch_bytes, const TuneOptions& options, TuneOutcome* outcome);

// One plan's time divided by another's: the median of paired samples and its 95 % interval.
struct PlanRatio {
  double ratio = 1, low = 1, high = 1;
  int64_t baseline_ns = 0;  // of one run, the median
};
// Pairs of samples, of which one or the other is first by turns; `sample(ours)` says how long one took. False: `over` said so before the end.
bool compare_samples(const std::function<int64_t(bool ours)>& sample, int pairs, const std::function<bool()>& over, PlanRatio* out);
// Measures two choices against each other, null being the cost model's own plan: what a choice is worth by samples that had no
// part in making it. `pairs` is at least 6, below which there is no such interval. Equal plans are measured as well.
PlanRatio compare_plans(const HostKernel& kernel, const Args& args, int64_t scratch_bytes, const PlanChoice* choice,
                        const PlanChoice* baseline, int pairs = 41, Clock clock = wall_clock);

}  // namespace anydim
