// SPDX-License-Identifier: Apache-2.0
// A model for any number of threads: contexts are made as runs at the same time need them, up to a number, and further runs wait for
// their turn, first come, first served. Whoever waited may have his run done by a thread of the pool's (core/base/threads/fair_pool.h,
// docs/decisions/011-who-runs-a-waiting-call.md), so nothing here belongs to the thread that called.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "core/base/threads/fair_pool.h"
#include "core/run/batching/batch_queue.h"
#include "core/run/context/context.h"

namespace anydim {

struct SessionFigures {
  int contexts = 0, limit = 0, in_use = 0, waiting = 0;
  int64_t growths = 0, arena_bytes = 0;  // of all contexts, up to their last runs
};

// Who places inputs and outputs of a run when their dims are known: a state (core/run/session/state.h).
class RunPlaces {
 public:
  // `dims`: of all outputs; a negative one is found by the run only. May change the views of inputs that the run was given, and gives
  // outputs their places. Within the call, maybe on another thread.
  virtual Status place(std::span<const Dims> dims, std::span<TensorView> out, const Parallel& parallel) = 0;
  // After the run: keeps what it made. `out` is where all outputs lie; in the context's memory where nobody placed them.
  virtual Status ran(Context& context, std::span<const TensorView> out) = 0;

 protected:
  ~RunPlaces() = default;
};

// How long a call is ready to wait for a context, and what ends it.
struct SessionCall {
  int64_t timeout_ms = -1;        // negative: without limit
  const int32_t* stop = nullptr;  // ends the run while it is not 0
  // Asked on the caller's thread when a signal came while the call waits, and now and then while it runs there: not 0 ends the call.
  int32_t (*interrupted)(void*) = nullptr;
  void* user = nullptr;
  EdgePlaces places{};
  RunPlaces* state = nullptr;
};

class Session {
 public:
  ~Session();
  // The first of at most `limit` contexts is made now, so that what is wrong with the options shows.
  static Status create(ProgramPtr program, const ContextOptions& options, int limit, bool profile, std::unique_ptr<Session>* out);

  // As Context::run, but that an output without data is only taken if it has a dtype, and then into memory of ResultMemory, which
  // is the caller's from then on. busy: no context came free in time; cancelled: it was ended from outside.
  // Where batches were started, it may be joined with others' (batch_queue.h).
  Status run(std::span<const TensorView> in, std::span<TensorView> out, const SessionCall& call);
  // The same, by itself in any case and with outputs that were checked.
  Status run_directly(std::span<const TensorView> in, std::span<TensorView> out, const SessionCall& call);

  // From now on runs are joined into batches. busy: they are already.
  Status start_batches(const BatchOptions& options);
  // From now on they are not. Those that wait are run, or cancelled, before it returns.
  void stop_batches(bool cancel);
  // As run(), without waiting; batches must have been started.
  Status submit(std::span<const TensorView> in, std::span<const TensorView> out, const SessionCall& call, BatchQueue::Later later);
  BatchFigures batch_figures();

  // As Context::explain; with inputs these are run first, and their run is profiled.
  Status explain(std::span<const TensorView> in, RunReport* out);

  SessionFigures figures();
  const Program& program() const noexcept { return *program_; }
  const Bounds* bounds() const noexcept { return bounds_ ? &*bounds_ : nullptr; }
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
  using Job = Status (*)(void* job, Pooled& pooled);

  explicit Session(int limit) noexcept : limit_(limit), pool_(limit) {}
  Status check_call(std::span<const TensorView> out, const SessionCall& call) const;
  Status use(Job job, void* it, const SessionCall& call);
  template <class F> Status use(F&& job, const SessionCall& call) {
    return use([](void* it, Pooled& pooled) { return (*static_cast<std::remove_reference_t<F>*>(it))(pooled); }, &job, call);
  }
  ProgramPtr program_;
  ContextOptions options_;
  std::optional<Bounds> bounds_;
  int limit_;
  bool profile_ = false;
  const MemorySourcePtr memory_ = MemorySourceScope::current();  // of contexts and results
  FairPool<Pooled> pool_;
  ForkLock batching_;                    // starting and stopping
  std::unique_ptr<BatchQueue> batches_;  // once they were started: it stays, since calls may be in it
  std::atomic<BatchQueue*> queue_{nullptr};
};

}  // namespace anydim
