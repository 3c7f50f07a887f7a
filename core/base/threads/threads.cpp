// SPDX-License-Identifier: Apache-2.0
// The worker pool behind Parallel. One job at a time: a caller that finds the pool taken runs its loop alone, which
// is right when the cores are busy anyway. Workers join an open job by one compare-and-swap and leave by one
// decrement, so a worker that wakes late costs the caller nothing. Each thread has a share of the tasks, the same part in
// each loop: what it wrote in one is in its cache in the next, and its counter, too, until others come to help.
#include "core/base/threads/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <cfenv>
#endif

#include "core/base/checked.h"
#include "core/base/memory/code_pages.h"
#include "core/base/threads/fork.h"
#include "core/base/threads/fork_lock.h"
#include "core/base/threads/own_thread.h"
#include "core/base/threads/placement.h"
#include "core/base/threads/waiting.h"

namespace anydim {

namespace {

void relax() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#else
  __asm__ volatile("" ::: "memory");
#endif
}

// Cores that the control group's quota amounts to, rounded up; a large number if there is none (cgroup v2).
int cgroup_cores() {
  std::FILE* f = std::fopen("/sys/fs/cgroup/cpu.max", "r");
  if (f == nullptr) return 1 << 20;
  long quota = 0, period = 0;
  const int got = std::fscanf(f, "%ld %ld", &quota, &period);
  std::fclose(f);
  if (got != 2 || quota <= 0 || period <= 0) return 1 << 20;
  const long cores = (quota + period - 1) / period;
  return cores < 1 ? 1 : static_cast<int>(cores);
}

// The job's state in one word: epoch (32 bits), open (1), workers that ever joined (15), workers inside (16).
constexpr uint64_t kInside = 1, kJoined = UINT64_C(1) << 16, kOpen = UINT64_C(1) << 31, kEpoch = UINT64_C(1) << 32;
constexpr uint64_t inside(uint64_t s) { return s & 0xFFFF; }
constexpr uint64_t joined(uint64_t s) { return (s >> 16) & 0x7FFF; }
constexpr uint64_t epoch(uint64_t s) { return s >> 32; }

// Of a loop: more tasks than that are assigned several at once, so that the count of a share stays far below 2^32.
constexpr int64_t kMostPortions = int64_t{1} << 20;

// How long an idle worker spins inside a hot scope before it sleeps: longer than the gap between two kernels of a graph,
// shorter than anybody notices.
constexpr int kSpins = Waiting::kSpins;

// Loops of this thread since another run was seen to compute, up to kCalm. Where callers queue, the next run follows within a
// tenth of a millisecond: a worker that is woken for that gap only gets in its way.
constexpr int kCalm = 16;
thread_local int calm = kCalm;

class Pool {
  // Portions of tasks that are assigned, below the number of the job.
  struct alignas(64) Share {
    std::atomic<uint64_t> handed_out{0};
  };

 public:
  static Pool& instance() noexcept {
    ForkHandlers<before_fork, after_fork, after_fork_in_child>::ensure();
    return the();
  }

  void start(int workers) noexcept {
    if (started_.load(std::memory_order_acquire) >= workers) return;
    const std::lock_guard lock(start_mutex_);
    while (started_.load(std::memory_order_relaxed) < workers) {
      try {
        start_own_thread([this, index = started_.load(std::memory_order_relaxed)] { work(index); });
      } catch (...) {
        return;  // fewer threads, same results
      }
      started_.fetch_add(1, std::memory_order_release);
    }
  }

  void run(int threads, int64_t tasks, ParallelBody body, void* context) noexcept {
    const int workers = workers_for(threads);
    bool idle = false;
    if (workers == 0 || !taken_.compare_exchange_strong(idle, true, std::memory_order_acquire)) {
      for (int64_t i = 0; i < tasks; ++i) body(context, i, 0);
      return;
    }
    start(workers);
    job_.body = body;
    job_.context = context;
    job_.tasks = tasks;
    job_.portion = ceil_div(tasks, kMostPortions);
    job_.portions = ceil_div(tasks, job_.portion);
    job_.limit = workers;
    const uint64_t now = next_epoch();
    job_.state.store(now * kEpoch | kOpen, std::memory_order_seq_cst);
    placement_.leave_core_to_caller();
    wake(workers);
    run_tasks(now, 0, 0);
    job_.state.fetch_and(~kOpen, std::memory_order_acq_rel);
    for (Waiting waiting; inside(job_.state.load(std::memory_order_acquire)) != 0;) waiting.turn();
    taken_.store(false, std::memory_order_release);
  }

  void hot(int delta) noexcept { hot_.fetch_add(delta, std::memory_order_relaxed); }

 private:
  static Pool& the() noexcept {
    static Pool* const pool = new Pool;  // never destroyed: its threads run until the process ends
    return *pool;
  }

  // How many workers a loop of so many threads may have. While several runs compute each has a core of its own, and workers
  // get the cores that are left: with one thread too many all wait for whoever was put aside.
  int workers_for(int threads) const noexcept {
    int runs = hot_.load(std::memory_order_relaxed);
    if (runs > 1) calm = 0;
    else if (calm < kCalm) ++calm, runs = 2;
    return runs > 1 ? std::clamp(available_cores() - runs, 0, threads - 1) : threads - 1;
  }

  // Sees to it that `wanted` workers look at the open job, and no more of them than that: the pool is as large as the largest
  // cap that anybody ran with. Whoever is awake has not yet looked, or spins; who is about to sleep looks once more after he
  // has counted himself among the sleepers.
  void wake(int wanted) noexcept {
    const int asleep = sleepers_.load(std::memory_order_seq_cst);
    const int missing = wanted - (started_.load(std::memory_order_relaxed) - asleep);
    if (asleep <= 0 || missing <= 0) return;
    wake_.fetch_add(1, std::memory_order_release);
    if (missing >= asleep) {
      wake_.notify_all();
      return;
    }
    for (int i = 0; i < missing; ++i) wake_.notify_one();
  }

  // The number of the next job, from 1. Counts of shares that carry a number of 2^32 jobs ago are gone by then.
  uint64_t next_epoch() noexcept {
    const uint64_t next = (epoch(job_.state.load(std::memory_order_relaxed)) + 1) & 0xFFFFFFFF;
    if (next != 0) return next;
    for (Share& share : shares_) share.handed_out.store(0, std::memory_order_relaxed);
    return 1;
  }

  // Of a share of so many portions the next one, or -1. The count is of the job whose number stands above it: nobody sets it to 0, so
  // that it stays in the cache of the thread whose share it is.
  int64_t claim(Share& share, uint64_t job, int64_t portions) noexcept {
    uint64_t seen = share.handed_out.load(std::memory_order_relaxed);
    for (;;) {
      const uint64_t before = epoch(seen) == job ? seen & 0xFFFFFFFF : 0;
      if (static_cast<int64_t>(before) >= portions) return -1;
      if (share.handed_out.compare_exchange_weak(seen, job * kEpoch | (before + 1), std::memory_order_relaxed))
        return static_cast<int64_t>(before);
    }
  }

  void run_tasks(uint64_t job, int worker, int own_share) noexcept {
    const int shares = job_.limit + 1;
    for (int i = 0; i < shares; ++i) {
      const int share = (own_share + i) % shares;
      const int64_t begin = job_.portions * share / shares, end = job_.portions * (share + 1) / shares;
      for (int64_t k = 0; (k = claim(shares_[share], job, end - begin)) >= 0;) {
        const int64_t first = (begin + k) * job_.portion, last = std::min(first + job_.portion, job_.tasks);
        for (int64_t task = first; task < last; ++task) job_.body(job_.context, task, worker);
      }
    }
  }

  // `index`: of the thread among those of the pool.
  void work(int index) noexcept {
    const FloatingPointScope floating_point;
    touch_stack();
    placement_.enter();
    uint64_t last = 0;  // epoch of the last job this worker looked at
    for (;;) {
      uint64_t s = job_.state.load(std::memory_order_acquire);
      bool mine = false;
      while ((s & kOpen) && epoch(s) != last) {
        if (joined(s) >= static_cast<uint64_t>(job_.limit.load(std::memory_order_relaxed))) break;
        if (job_.state.compare_exchange_weak(s, s + kInside + kJoined, std::memory_order_acq_rel)) {
          mine = true;
          break;
        }
      }
      if (mine) {
        last = epoch(s);
        run_tasks(last, static_cast<int>(joined(s)) + 1, 1 + index % job_.limit);
        job_.state.fetch_sub(kInside, std::memory_order_release);
      }
      wait(s | kOpen);
    }
  }

  // Returns when a job newer than `seen` may be open.
  void wait(uint64_t seen) noexcept {
    const auto newer = [&] {
      const uint64_t s = job_.state.load(std::memory_order_seq_cst);
      return (s & kOpen) && epoch(s) != epoch(seen);
    };
    for (int i = 0; i < kSpins && hot_.load(std::memory_order_relaxed) > 0; ++i) {
      if (newer()) return;
      relax();
    }
    const uint32_t ticket = wake_.load(std::memory_order_acquire);
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    if (!newer()) wake_.wait(ticket, std::memory_order_acquire);
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }

  static void before_fork() noexcept { the().start_mutex_.lock(); }
  static void after_fork() noexcept { the().start_mutex_.unlock(); }
  // Threads do not survive a fork; the child starts its own when it needs them.
  static void after_fork_in_child() noexcept {
    Pool& p = the();
    p.started_.store(0);
    p.job_.state.store(0);
    for (Share& share : p.shares_) share.handed_out.store(0, std::memory_order_relaxed);
    p.taken_.store(false);
    p.hot_.store(0);
    p.sleepers_.store(0);
    p.placement_.forget();
    p.start_mutex_.unlock();
  }

  // What a worker reads of a job: in one cache line.
  struct alignas(64) Job {
    std::atomic<uint64_t> state{0};
    ParallelBody body = nullptr;
    void* context = nullptr;
    int64_t tasks = 0, portion = 1, portions = 0;  // tasks are assigned in portions
    std::atomic<int> limit{0};                     // most workers
  };
  static_assert(sizeof(Job) == 64);

  Job job_;
  Share shares_[kMaxThreads];
  alignas(64) std::atomic<bool> taken_{false};
  std::atomic<int> hot_{0}, sleepers_{0}, started_{0};
  std::atomic<uint32_t> wake_{0};
  [[no_unique_address]] const CountsForks counts_;
  std::mutex start_mutex_;
  Placement placement_;
};

// A loop of Anydim on one of the host's: as many parts as threads may take part, each of which takes tasks until there are none
// left. So a host that runs the parts one after the other does all in the first, and a loop within a loop waits for nobody.
class HostJob {
 public:
  HostJob(int threads, int64_t tasks, ParallelBody body, void* context) noexcept
      : parts_(std::min<int64_t>(threads, tasks)), tasks_(tasks), body_(body), context_(context) {}

  void run(const HostLoop& loop) noexcept {
    try {
      loop.run(
          parts_, [](void* job, int64_t index) { static_cast<HostJob*>(job)->part(index); }, this);
    } catch (...) {
      // What was not done is done below.
    }
    // A part that begins now finds the job closed; those that the host did not wait for are waited for here.
    inside_.fetch_or(kClosed, std::memory_order_acq_rel);
    while ((inside_.load(std::memory_order_acquire) & ~kClosed) != 0) sched_yield();
    take_tasks(0);
  }

 private:
  static constexpr int64_t kClosed = int64_t{1} << 32;

  void part(int64_t index) noexcept {
    if (index < 0 || index >= parts_) return;
    // A worker's scratch is one part's only.
    const uint64_t bit = uint64_t{1} << (index % 64);
    if ((begun_[index / 64].fetch_or(bit, std::memory_order_acq_rel) & bit) != 0) return;
    if ((inside_.fetch_add(1, std::memory_order_acq_rel) & kClosed) == 0) {
      const FloatingPointScope floating_point;
      take_tasks(static_cast<int>(index));
    }
    inside_.fetch_sub(1, std::memory_order_release);
  }
  void take_tasks(int worker) noexcept {
    for (;;) {
      const int64_t task = next_.fetch_add(1, std::memory_order_relaxed);
      if (task >= tasks_) return;
      body_(context_, task, worker);
    }
  }

  const int64_t parts_, tasks_;
  const ParallelBody body_;
  void* const context_;
  std::atomic<int64_t> next_{0}, inside_{0};
  std::atomic<uint64_t> begun_[kMaxThreads / 64] = {};
};

}  // namespace

void Waiting::turn() noexcept {
  relax();
  if (++turns_ <= kSpins) return;
  sched_yield();
  turns_ = 0;
}

int available_cores() noexcept {
  static const int cores = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    const int quota = cgroup_cores();
    if (quota < n) n = quota;
    return n < 1 ? 1 : n;
  }();
  return cores;
}

#if defined(__x86_64__)
FloatingPointScope::FloatingPointScope() noexcept : saved_(_mm_getcsr()) {
  constexpr unsigned kDefault = 0x1F80;  // all exceptions masked, round to nearest, denormals kept
  if (saved_ != kDefault) _mm_setcsr(kDefault);
}
FloatingPointScope::~FloatingPointScope() {
  // The sticky exception flags that our arithmetic raised are dropped: the caller sees its own state again.
  _mm_setcsr(static_cast<unsigned>(saved_));
}
#else
namespace {
thread_local std::fenv_t saved_environment[8];
thread_local int saved_depth = 0;
}  // namespace
FloatingPointScope::FloatingPointScope() noexcept : saved_(static_cast<uint64_t>(saved_depth)) {
  if (saved_depth < 8) std::fegetenv(&saved_environment[saved_depth]);
  ++saved_depth;
  std::fesetenv(FE_DFL_ENV);
}
FloatingPointScope::~FloatingPointScope() {
  saved_depth = static_cast<int>(saved_);
  if (saved_depth < 8) std::fesetenv(&saved_environment[saved_depth]);
}
#endif

Parallel::Hot::Hot(const Parallel& p) noexcept : on_(p.threads_ > 1 && !p.in_turns_ && p.loop_ == nullptr), forks_(forks_so_far()) {
  if (on_) Pool::instance().hot(1);
}
Parallel::Hot::~Hot() {
  if (on_ && forks_ == forks_so_far()) Pool::instance().hot(-1);
}

Parallel Parallel::in_turns(int threads) noexcept {
  Parallel p(threads);
  p.in_turns_ = true;
  return p;
}

void Parallel::prepare() const noexcept {
  if (threads_ > 1 && !in_turns_ && loop_ == nullptr) Pool::instance().start(threads_ - 1);
}

void Parallel::dispatch(int64_t tasks, ParallelBody body, void* context) const noexcept {
  if (loop_ != nullptr && !in_turns_) return HostJob(threads_, tasks, body, context).run(*loop_);
  if (!in_turns_) return Pool::instance().run(threads_, tasks, body, context);
  for (int64_t i = 0; i < tasks; ++i) body(context, i, 0);
}

}  // namespace anydim
