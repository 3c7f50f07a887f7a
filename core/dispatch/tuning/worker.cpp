// SPDX-License-Identifier: Apache-2.0
// The worker's ring, thread and end; see worker.h.
#include "core/dispatch/tuning/worker.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/base/threads/fork.h"
#include "core/base/threads/own_thread.h"

namespace anydim {

namespace {

constexpr uint32_t kRing = 128;          // requests; a power of two
constexpr size_t kRemembered = 1 << 14;  // keys of served requests; then they are forgotten and may be served again
constexpr int64_t kExitTimeout = 200;    // ms that a process's end waits for work to notice

// When the worker rested last. Others' work is read off the process's clock, so that runs need not say that they run.
struct Moment {
  int64_t wall = wall_clock(), own = thread_clock(), process = process_clock();
};
thread_local Moment* rested = nullptr;  // of the worker's thread

void sleep_ms(int64_t ms) noexcept { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

}  // namespace

bool WorkRequest::add_dims(const Dims& dims) noexcept {
  if (count + 1 + dims.rank > kNumbers) return false;
  number[count++] = dims.rank;
  for (const int64_t d : dims) {
    number[count++] = d;
    key = key * UINT64_C(0x100000001B3) ^ static_cast<uint64_t>(d);
  }
  return true;
}

std::vector<Dims> WorkRequest::shape_dims() const {
  std::vector<Dims> all;
  for (int32_t at = 1; at < count;) {
    Dims d;
    for (int64_t rank = number[at++]; rank > 0; --rank) d.push_back(number[at++]);
    all.push_back(d);
  }
  return all;
}

// Many push, one pops: each cell's turn says whose it is (Vyukov's bounded queue).
struct Worker::State {
  struct Cell {
    std::atomic<uint32_t> turn{0};
    WorkRequest request;
  };
  const State* of_parent = nullptr;  // in a forked child: never used, but not lost either
  Cell* ring = nullptr;              // kRing of them, made by start()
  std::atomic<bool> ready{false};
  std::atomic<uint32_t> head{0};  // next to push
  uint32_t tail = 0;              // next to pop; the worker's
  int64_t rests = 0;              // ns slept in requests; the worker's
  sem_t wake;
  std::mutex start_mutex;
  std::atomic<bool> thread_requested{false};
  std::atomic<bool> running{false}, paused{false}, off{false}, stop{false};
  std::atomic<bool> at_work{false};
  std::atomic<int64_t> requested{0}, dropped{0}, served{0}, repeated{0}, failed{0}, finished{0}, nanoseconds{0};
  WorkerLimits limits;

  State() {
    sem_init(&wake, 0, 0);
    limits.seconds = environment_number("ANYDIM_WORKER_SECONDS", limits.seconds, 0, 1000000000);
    limits.bytes = environment_number("ANYDIM_WORKER_BYTES", limits.bytes);
    constexpr const char* kWords[] = {"on", "off"};
    off = environment_word("ANYDIM_WORKER", kWords, 0) == 1;
  }

  bool pop(WorkRequest* out) {
    Cell& cell = ring[tail % kRing];
    if (cell.turn.load(std::memory_order_acquire) != tail + 1) return false;
    *out = std::move(cell.request);
    cell.request.owner.reset();
    cell.turn.store(tail + kRing, std::memory_order_release);
    ++tail;
    return true;
  }

  void loop() {
    sigset_t all;  // signals of the program are for its own threads
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    sched_param none{};
    if (pthread_setschedparam(pthread_self(), SCHED_IDLE, &none) != 0)
      setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 19);
    pthread_setname_np(pthread_self(), "anydim-worker");
    std::unordered_set<uint64_t> seen;
    Moment last;
    rested = &last;
    for (;;) {
      while (sem_wait(&wake) != 0) {
      }
      WorkRequest request;
      if (!pop(&request)) continue;
      while (paused && !off) sleep_ms(1);
      serve(request, seen);
      request = {};
      finished.fetch_add(1, std::memory_order_release);
    }
  }

  void serve(const WorkRequest& request, std::unordered_set<uint64_t>& seen) {
    if (off || nanoseconds > limits.seconds * 1000000000) {
      dropped.fetch_add(1);
      return;
    }
    const std::shared_ptr<const void> owner = request.owner.lock();
    if (!owner) return;
    if (seen.size() >= kRemembered) seen.clear();
    const uint64_t key = request.key * UINT64_C(0x9E3779B97F4A7C15) ^ static_cast<uint64_t>(reinterpret_cast<uintptr_t>(owner.get()));
    if (!seen.insert(key).second) {
      repeated.fetch_add(1);
      return;
    }
    at_work = true;
    *rested = Moment();
    const int64_t start = wall_clock(), rests_before = rests;
    const char* failure = nullptr;
    try {
      failure = request.run(owner, request, stop);
    } catch (...) {
      failure = "out of memory";
    }
    nanoseconds.fetch_add(wall_clock() - start - (rests - rests_before));
    (failure ? failed : served).fetch_add(1);
    at_work = false;
  }

  void start_thread() noexcept {
    bool expected = false;
    if (!thread_requested.compare_exchange_strong(expected, true)) return;
    try {
      start_own_thread([this] { loop(); });
      running = true;
      std::atexit([] {
        State* s = Worker::instance().state_.load();
        s->off = s->stop = true;
        for (int64_t waited = 0; s->at_work && waited < kExitTimeout; waited += 2) sleep_ms(2);
      });
    } catch (...) {
      off = true;  // no thread available: as if nobody had asked
    }
  }
};

Worker::Worker() : state_(new State) {}

Worker& Worker::the() noexcept {
  static Worker* const worker = new Worker;
  return *worker;
}

// The parent's thread did not come along, and its state may be half-way through anything: it is left alone.
void Worker::after_fork_in_child() noexcept {
  auto* state = new State;
  state->of_parent = the().state_.load();
  the().state_.store(state);
}

Worker& Worker::instance() noexcept {
  ForkHandlers<nullptr, nullptr, after_fork_in_child>::ensure();
  return the();
}

void Worker::start() {
  State& s = *state_.load();
  const std::lock_guard lock(s.start_mutex);
  if (s.ready || s.off) return;
  s.ring = new State::Cell[kRing];
  for (uint32_t i = 0; i < kRing; ++i) s.ring[i].turn = i;
  s.start_thread();
  s.ready.store(true, std::memory_order_release);
}

bool Worker::push(WorkRequest request) noexcept {
  State& s = *state_.load(std::memory_order_relaxed);
  if (!s.ready.load(std::memory_order_acquire) || s.off.load(std::memory_order_relaxed)) return false;
  uint32_t at = s.head.load(std::memory_order_relaxed);
  for (;;) {
    State::Cell& cell = s.ring[at % kRing];
    const auto ahead = static_cast<int32_t>(cell.turn.load(std::memory_order_acquire) - at);
    if (ahead < 0) {
      s.dropped.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    if (ahead == 0 && s.head.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
      cell.request = std::move(request);
      cell.turn.store(at + 1, std::memory_order_release);
      break;
    }
    if (ahead > 0) at = s.head.load(std::memory_order_relaxed);
  }
  s.requested.fetch_add(1, std::memory_order_relaxed);
  sem_post(&s.wake);
  return true;
}

void Worker::pause() noexcept { state_.load()->paused = true; }
void Worker::resume() noexcept { state_.load()->paused = false; }

bool Worker::drain(int64_t milliseconds) noexcept {
  State& s = *state_.load();
  const int64_t expected = s.requested.load();
  for (int64_t waited = 0; s.finished.load(std::memory_order_acquire) < expected; ++waited) {
    if (s.paused || s.off || (milliseconds >= 0 && waited >= milliseconds)) return false;
    sleep_ms(1);
  }
  return true;
}

void Worker::turn_off() noexcept {
  State& s = *state_.load();
  s.off = s.stop = true;
}

int64_t Worker::rest(const std::atomic<bool>& stop) noexcept {
  if (rested == nullptr) return 0;
  const Moment here;
  constexpr int64_t kShift = 1000000;  // shorter ones are not worth a rest
  const int64_t own = here.own - rested->own, others = here.process - rested->process - own;
  if (own < kShift) return 0;
  const int64_t rest_ns = rest_time(own, here.wall - rested->wall, others);
  while (wall_clock() - here.wall < rest_ns && !stop.load(std::memory_order_relaxed)) sleep_ms(1);
  *rested = Moment();
  const int64_t slept = rested->wall - here.wall;
  state_.load()->rests += slept;
  return slept;
}

const WorkerLimits& Worker::limits() const noexcept { return state_.load()->limits; }

WorkerStatistics Worker::statistics() const noexcept {
  const State& s = *state_.load();
  WorkerStatistics w;
  w.requested = s.requested;
  w.dropped = s.dropped;
  w.served = s.served;
  w.repeated = s.repeated;
  w.failed = s.failed;
  w.nanoseconds = s.nanoseconds;
  w.queued = w.requested - s.finished;
  w.running = s.running;
  w.paused = s.paused;
  w.off = s.off;
  return w;
}

}  // namespace anydim
