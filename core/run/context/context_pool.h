// SPDX-License-Identifier: Apache-2.0
// Contexts of one program for any number of threads: they are made as runs at the same time need them, up to a number, and further runs
// wait for their turn, first come, first served. Whoever waited may have his run done by a thread of the pool's
// (core/base/threads/fair_pool.h, docs/decisions/011-who-runs-a-waiting-call.md), so nothing here belongs to the thread that called.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>

#include "core/base/threads/fair_pool.h"
#include "core/run/context/context.h"
#include "core/run/context/run_report.h"

namespace anydim {

struct PoolFigures {
  int contexts = 0, limit = 0, in_use = 0, waiting = 0;
  int64_t growths = 0, arena_bytes = 0;  // of all contexts, up to their last runs
};

// Who places inputs and outputs of a run beside the pool, which places those that the caller asks for: a state (core/run/session/state.h).
class RunPlaces : public OutputPlacer {
 public:
  // After the run: keeps what it made. `out` is where all outputs lie; in the context's memory where nobody placed them.
  virtual Status ran(const Context& context, std::span<const TensorView> out) = 0;

 protected:
  ~RunPlaces() = default;
};

// How long a call is ready to wait for a context, and what ends it.
struct RunCall {
  int64_t timeout_ms = -1;        // negative: without limit
  const int32_t* stop = nullptr;  // ends the run while it is not 0
  // Asked on the caller's thread when a signal came while the call waits, and now and then while it runs there: not 0 ends the call.
  int32_t (*interrupted)(void*) = nullptr;
  void* user = nullptr;
  EdgePlaces places{};
  RunPlaces* state = nullptr;
  // By output: gets the input in whose memory the output lies, or -1. Empty: no output may lie there.
  std::span<int32_t> aliases{};
  int64_t gathered_bytes = 0;  // read and written to bring the inputs' parts side by side, for reports
};

class ContextPool {
 public:
  // `options`: bounds are copied. `limit`: most contexts.
  ContextPool(ProgramPtr program, const ContextOptions& options, int limit, bool profile);
  // Makes the first context now, so that what is wrong with the options shows.
  Status make_first();

  // As Context::run, but that an output without data is only placed if it has a dtype, and then in memory of ResultMemory, which is the
  // caller's from then on. What is requested of outputs was checked. timed_out: no context came free in time; cancelled: it was ended from
  // outside.
  Status run(std::span<const TensorView> in, std::span<TensorView> out, const RunCall& call);
  // What the last run in the context that is free, or comes free, did; with inputs these are run first, and their run is profiled.
  Status explain(std::span<const TensorView> in, RunReport* out);

  PoolFigures figures();
  const Program& program() const noexcept { return *program_; }
  const Bounds* bounds() const noexcept { return bounds_ ? &*bounds_ : nullptr; }
  int limit() const noexcept { return limit_; }
  const MemorySourcePtr& memory_source() const noexcept { return memory_; }

 private:
  struct Pooled {
    void note() noexcept {
      growths.store(context->growth_events(), std::memory_order_relaxed);
      arena_bytes.store(context->arena_bytes(), std::memory_order_relaxed);
    }
    std::unique_ptr<Context> context;
    std::atomic<int64_t> growths{0}, arena_bytes{0};  // as noted last, so that asking waits for no run
    bool has_run = false;
  };
  class Results;
  // What is done in a context that nobody else uses: a run, if there are results to make, then a report, if one is asked for.
  struct Job {
    std::span<const TensorView> in;
    Results* results = nullptr;
    RunReport* report = nullptr;
  };
  Status use(const Job& job, const RunCall& call);
  Status serve(const Job& job, const RunCall& call, Pooled& pooled);
  Status make_context(std::unique_ptr<Pooled>* out);

  const ProgramPtr program_;
  const std::optional<Bounds> bounds_;
  ContextOptions options_;
  const int limit_;
  const bool profile_;
  const MemorySourcePtr memory_ = MemorySourceScope::current();  // of contexts and results
  FairPool<Pooled> pool_;
};

}  // namespace anydim
