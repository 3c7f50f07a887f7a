// SPDX-License-Identifier: Apache-2.0
// The specialised tier of a program: the plans of every node of a context are measured at the shape that it ran last.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/dispatch/tuning/tuner.h"
#include "core/run/context/context.h"

namespace anydim {

struct TuneRequest {
  TuneOptions options;
  bool bucket = false;              // for the bucket of the shape, not for this very shape
  bool record = true;               // in the persistent cache, too
  bool own_memory = false;          // leave out nodes on the caller's memory: how fast they are depends on where that lies
  int64_t confirm_interval_ns = 0;  // from one confirmation of a swap to the next; see tune()
  int64_t device_budget_ns = INT64_C(60) * 1000 * 1000 * 1000;  // for all nodes of devices, compiling included
  bool again = false;                                           // also what has been measured before, in this process or an earlier one
  std::function<void(int64_t done, int64_t nodes)> progress;    // called before each node, and at the end
};

// What measuring one node's plans gave.
struct NodeTuning {
  std::string name, op, kernel;
  bool known = false;  // measured before: left alone
  TuneOutcome outcome;
};

// Measures the plans of every node at the shape of the last run, on the context's memory and threads, and publishes those that are faster
// with confidence to the tiers of the program's primitives, for runs with as many threads. Takes seconds; outputs of the last run are lost.
Status tune(Context& context, const TuneRequest& request, std::vector<NodeTuning>* report);

// A node that has plans to choose from, bound to the shape of the last run.
struct TunableNode {
  const std::string& name;
  const Primitive& primitive;
  const Args& args;
  int64_t scratch = 0;  // bytes there are at args.scratch
  bool outer = false;   // reads or writes memory of the caller
};
// Calls `use` with all of them. It may run their kernels with any of their plans, as tune() does and as bench/tuning.cpp does to
// measure it; outputs of the last run are lost.
Status with_tunable(Context& context, const std::function<void(std::span<const TunableNode>)>& use);

// Ok, or that the engines of all steps have nothing to tune.
Status check_tunable(const Program& program);

// Asks the background worker to tune the shape that is bound.
void request_tuning(const Context& context) noexcept;

// Of a context that is made, within its bounds: at their upper ends; and, where one dim alone may vary, at the upper end of each of its
// buckets, for the bucket.
Status specialise(Context& context, int64_t budget_ns);

}  // namespace anydim
