// SPDX-License-Identifier: Apache-2.0
// The background worker: one thread of the lowest priority that tunes what running calls asked for. Asking is a push into a
// ring without locks or allocation; a full ring drops the request and counts it. Nothing ever waits for the worker but
// drain(), so a worker that never returns disturbs nobody.
//
// Its thread starts with the first request after start(). Its state is never destroyed: a process may exit while it works,
// and then it is asked to stop and given a moment. A forked child has a worker of its own, idle and empty.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/tensor/dims.h"

namespace anydim {

// Plain data, so that a push allocates nothing.
struct WorkRequest {
  static constexpr int kNumbers = 48;
  std::weak_ptr<const void> owner;  // a request whose owner is gone is skipped
  // Runs on the worker's thread; looks at `stop` often. Failures are returned as text and counted.
  const char* (*run)(const std::shared_ptr<const void>& owner, const WorkRequest& request, const std::atomic<bool>& stop) = nullptr;
  int32_t count = 0;
  int64_t number[kNumbers] = {};
  uint64_t key = 0;  // requests of one owner with one key are served once

  // Requests for shapes: the thread cap, then the dims of each input. False: no room, the request cannot be made.
  void begin_shape(int threads) noexcept {
    count = 0;
    number[count++] = threads;
    key = static_cast<uint64_t>(threads);
  }
  bool add_dims(const Dims& dims) noexcept;
  int shape_threads() const noexcept { return static_cast<int>(number[0]); }
  std::vector<Dims> shape_dims() const;
};

// What the worker owes to others: for `worked` ns of its own, out of `wall` ns that have passed since it last rested, while the
// process's other threads used `others` ns of processor time. Nothing where they were idle, else so much that the worker has a
// tenth of the time: a neighbour on the next core takes memory bandwidth, and on the next hyperthread more than that.
constexpr int64_t rest_time(int64_t worked, int64_t wall, int64_t others) noexcept { return others > wall / 10 ? 9 * worked : 0; }

struct WorkerLimits {
  int64_t seconds = 60;                // of work in this process (ANYDIM_WORKER_SECONDS); then requests are dropped
  int64_t bytes = INT64_C(256) << 20;  // of memory that a request may take (ANYDIM_WORKER_BYTES)
};

struct WorkerStatistics {
  int64_t requested = 0, dropped = 0, served = 0, repeated = 0, failed = 0;
  int64_t nanoseconds = 0;  // at work, rests not counted
  int64_t queued = 0;       // now
  bool running = false;     // its thread was started
  bool paused = false, off = false;
};

class Worker {
 public:
  // The process's one.
  static Worker& instance() noexcept;

  // Makes the ring: done where a context or primitive with a policy that needs the worker is created.
  void start();
  // Any thread; wait-free but for the waking of a sleeping worker. False: not started, off, or the ring is full.
  bool push(WorkRequest request) noexcept;

  // Between pieces of work, from any thread.
  void pause() noexcept;
  void resume() noexcept;
  // Waits until everything requested before is done; false after `milliseconds` (negative: no limit), while paused, or off.
  bool drain(int64_t milliseconds) noexcept;
  // For the rest of the process: drops what is queued, stops what runs at its next look. ANYDIM_WORKER=off does it at start.
  void turn_off() noexcept;

  // For requests that run, between their pieces: sleeps what is owed, and returns how many nanoseconds that took. On another
  // thread than the worker's it does nothing.
  int64_t rest(const std::atomic<bool>& stop) noexcept;

  const WorkerLimits& limits() const noexcept;
  WorkerStatistics statistics() const noexcept;

 private:
  static Worker& the() noexcept;
  static void after_fork_in_child() noexcept;
  Worker();
  struct State;
  std::atomic<State*> state_;
};

}  // namespace anydim
