// SPDX-License-Identifier: Apache-2.0
// A model for any number of threads: a pool of contexts, and a queue in front of it where runs are joined into batches. Calls go through
// the queue to the pool, or to the pool alone.
#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "core/run/batching/batch_queue.h"
#include "core/run/context/context_pool.h"

namespace anydim {

class Session {
 public:
  // The first of at most `limit` contexts is made now, so that what is wrong with the options shows.
  static Status create(ProgramPtr program, const ContextOptions& options, int limit, bool profile, std::unique_ptr<Session>* out);

  // As ContextPool::run. Where batches were started, it may be joined with others' (batch_queue.h).
  Status run(std::span<const TensorView> in, std::span<TensorView> out, const RunCall& call);

  // From now on runs are joined into batches. busy: they are already.
  Status start_batches(const BatchOptions& options);
  // From now on they are not. Those that wait are run, or cancelled, before it returns.
  void stop_batches(bool cancel);
  // As run(), without waiting; batches must have been started.
  Status submit(std::span<const TensorView> in, std::span<const TensorView> out, const RunCall& call, BatchQueue::Later later);
  BatchFigures batch_figures();

  // As ContextPool::explain.
  Status explain(std::span<const TensorView> in, RunReport* out) { return pool_.explain(in, out); }

  PoolFigures figures() { return pool_.figures(); }
  const Program& program() const noexcept { return pool_.program(); }
  const Bounds* bounds() const noexcept { return pool_.bounds(); }
  const MemorySourcePtr& memory_source() const noexcept { return pool_.memory_source(); }

 private:
  Session(ProgramPtr program, const ContextOptions& options, int limit, bool profile)
      : pool_(std::move(program), options, limit, profile) {}
  Status check_call(std::span<const TensorView> out, const RunCall& call) const;

  ContextPool pool_;
  ForkLock batching_;                    // starting and stopping
  std::unique_ptr<BatchQueue> batches_;  // once they were started: it stays, since calls may be in it
  std::atomic<BatchQueue*> queue_{nullptr};
};

}  // namespace anydim
