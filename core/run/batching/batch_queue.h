// SPDX-License-Identifier: Apache-2.0
// Requests of many callers, run together. Requests whose dims agree but for the rows are joined along the batch axis; each gets its
// rows of the result, with the bits that it would have alone. The rule for when a batch begins (docs/serving.md):
//
// - Requests that can join are a group. It expects as many requests at once as there were when its last batch ended, and splits them
//   into so many batches as batch_split.h says.
// - A request that makes a batch by itself, while nothing waits and a context is free, runs at once on the caller's thread and memory:
//   one caller alone does not know of the queue.
// - Else its rows are copied to an open batch of the group, unless it is to stay alone in it. The batch begins when it is full or has its part of the expected requests, when
//   all expected requests are here, or when it has waited for so long as the options say.
// - Where several batches run at the same time, each has a lane, and a caller joins the lane of the core that it is on. Otherwise batches
//   would be completed on the core of one of them, whose other callers then wait behind it, while the core that the rest slept on is idle.
//
// Who brings the last request runs the batch; what is to begin later, and what nobody waits for, is run by a thread of the queue's,
// which sleeps until then. No thread is busy when nothing is asked. batch_rows.h knows where rows lie.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/threads/completion.h"
#include "core/base/threads/fork_lock.h"
#include "core/base/memory/result_memory.h"
#include "core/run/batching/batch_figures.h"
#include "core/run/batching/batch_rows.h"

namespace anydim {

class ContextPool;
struct RunCall;

struct BatchOptions {
  int64_t rows = 8;             // most rows of a batch
  int64_t wait_ns = 1'000'000;  // longest wait for requests that are expected
  int64_t waiting = 1024;       // most requests that wait; further ones are refused
};

// Called once for a request that was submitted, on a thread of the queue's: how it ended, and its outputs if that was well.
using BatchDone = void (*)(void* user, Status status, std::span<const TensorView> outputs);

class BatchQueue {
 public:
  // Fails for a program whose rows cannot be joined, and for options that the bounds do not allow. As many batches run at the same
  // time as the pool has contexts.
  static Status create(ContextPool& pool, const BatchOptions& options, std::unique_ptr<BatchQueue>* out);
  // Requests that wait are cancelled, and those that run are waited for.
  ~BatchQueue();
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;

  // As ContextPool::run. queue_full: too many wait; timed_out: the batch did not begin in time; cancelled: ended from outside before it began.
  Status run(std::span<const TensorView> in, std::span<TensorView> out, const RunCall& call);
  // The same without waiting. Inputs are copied before it returns. `stop` is kept. What it refuses is not reported to `done`.
  struct Later {
    BatchDone done = nullptr;
    void* user = nullptr;
    std::shared_ptr<const int32_t> stop;
  };
  Status submit(std::span<const TensorView> in, std::span<const TensorView> out, const RunCall& call, Later later);

  // From now on runs do not join. Requests that wait are run, or cancelled; returns when none is left.
  void stop(bool cancel);
  Status restart(const BatchOptions& options);
  BatchFigures figures();

 private:
  struct Batch;
  struct Group;
  struct Request;
  struct Sleeper;

  BatchQueue(ContextPool& pool);
  Status check(const BatchOptions& options) const;

  // All of these under the lock.
  void reset_after_fork() noexcept;
  Group& find_group(std::span<const TensorView> in);
  bool may_run_alone(const Group& group) const noexcept;
  void entered(Group& group, int64_t now) noexcept;
  void close(Batch* batch);
  size_t lane_of(const Group& group) const noexcept;
  Status reserve_place(Group& group, std::span<const TensorView> in, std::span<const TensorView> out, Request* request);
  // Takes the lock off where the rows are many.
  void fill_place(Batch& batch, int64_t first, int64_t rows, std::span<const TensorView> in, std::unique_lock<ForkLock>* lock);
  void borrow_inputs(Batch* batch, std::span<const TensorView> in, int64_t rows);
  Status make_room(Batch* batch, std::span<const TensorView> in, int64_t rows);
  // Whether it may begin now; if not, `at` is made no later than the time at which it may.
  bool ready(const Batch& batch, int64_t now, int64_t* at) const noexcept;
  Batch* next_batch(int64_t now, int64_t* at) const noexcept;
  void begin(Batch* batch) noexcept;
  void leave(Request* request) noexcept;
  void detach(Batch* batch) noexcept;
  void recycle(Batch* batch) noexcept;
  void ended(Group& group, int64_t requests, int64_t rows, int64_t now) noexcept;
  void note(const Request& request, const Status& status, int64_t now) noexcept;
  void end_timed_out(int64_t now, int64_t* at, std::vector<Request*>* late);
  void need_thread();
  void start_thread();
  void wake_one() noexcept;
  void wake_if_due() noexcept;
  void wait_for_quiet(std::unique_lock<ForkLock>& lock) noexcept;

  // And these without.
  Status run_alone(Group* group, std::span<const TensorView> in, std::span<TensorView> out, const RunCall& call, int64_t begun,
                   int64_t rows, uint32_t forks);
  Status run_one(std::span<const TensorView> in, std::span<TensorView> out, const int32_t* stop) noexcept;
  void run_batch(Batch* batch) noexcept;
  void run_joined(Batch& batch) noexcept;
  void run_one_by_one(Batch& batch) noexcept;
  void close_gaps(Batch& batch) noexcept;
  Status wait(Request& request, const RunCall& call, uint32_t forks, bool* again);
  Status collect(Batch& batch, size_t place, std::span<TensorView> out) noexcept;
  void drop(Batch& batch, size_t place) noexcept;
  void release(Batch* batch) noexcept;
  void notify(Request* request, Status status) noexcept;
  void serve() noexcept;

  ContextPool& pool_;
  const int batches_;  // most at the same time
  RowEdges edges_;
  BatchOptions options_;

  Completions served_;  // callers wait here for their batches
  ForkLock lock_;
  uint32_t forks_ = forks_so_far();  // when it was last used
  bool open_ = true, draining_ = false, ending_ = false;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<Batch*> closed_;                 // take no further request, the oldest first
  int way_;                                    // of splitting a crowd that a group found best last
  std::vector<std::unique_ptr<Batch>> spare_;  // with their memory
  std::string key_;                            // of the request that is looked up
  int64_t waiting_ = 0;                        // requests whose batch has not begun
  int64_t inside_ = 0;                         // those and the ones that run
  int64_t telling_ = 0;                        // ended, and `done` has not returned
  int64_t timed_ = 0;                          // submitted requests with a time at which they end
  int running_ = 0;                            // batches, and requests that run alone
  uint64_t uses_ = 0;                          // of groups
  uint32_t opened_ = 0;                        // batches
  BatchRecord record_;
  Sleeper* sleepers_ = nullptr;  // threads of the queue's that wait
  int threads_ = 0;
  std::atomic<uint32_t> quiet_{0};  // changes when a thread or the last request has gone
};

}  // namespace anydim
