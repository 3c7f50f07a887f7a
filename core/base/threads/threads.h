// SPDX-License-Identifier: Apache-2.0
// The process's one pool of worker threads. `Parallel` is what kernels see: a cap and a parallel loop without
// allocation. Workers run with the default floating-point state; small work stays on the caller.
#pragma once

#include <cstdint>
#include <type_traits>

namespace anydim {

// Cores this process may use: affinity mask and cgroup quota, at least 1.
int available_cores() noexcept;

// Sets the floating-point control state the numerics contract needs (round to nearest, denormals kept, exceptions
// masked) and restores the caller's.
class FloatingPointScope {
 public:
  FloatingPointScope() noexcept;
  ~FloatingPointScope();
  FloatingPointScope(const FloatingPointScope&) = delete;
  FloatingPointScope& operator=(const FloatingPointScope&) = delete;

 private:
  uint64_t saved_;
};

// A loop of the host program's, in place of the process's pool.
class HostLoop {
 public:
  using Part = void (*)(void* context, int64_t index);
  virtual ~HostLoop() = default;
  // Calls part(context, i) for each i in [0, parts), on any threads, at the same time or one after the other, and returns when
  // all that it called have returned. What it leaves out, or calls twice, or throws, harms nothing. Any thread may call, several
  // at once, and from within a part.
  virtual void run(int64_t parts, Part part, void* context) const = 0;
};

using ParallelBody = void (*)(void* context, int64_t task, int worker);

// At most this many threads take part in a loop; scratch is sized by it.
constexpr int kMaxThreads = 256;

class Parallel {
 public:
  // The loop has to stay as long as this and its copies are used; null is the process's pool.
  explicit Parallel(int threads = 1, const HostLoop* loop = nullptr) noexcept
      : threads_(threads < 1             ? 1
                 : threads > kMaxThreads ? kMaxThreads
                                         : threads),
        loop_(loop) {}
  int threads() const noexcept { return threads_; }
  // Not the process's own threads, but those of the program that this library serves.
  bool of_host() const noexcept { return loop_ != nullptr; }
  // The same loop with another cap.
  Parallel with(int threads) const noexcept { return Parallel(threads, loop_); }
  // Work is cut as for so many threads, and all of it is done by the caller, task after task: what such a run costs in all can
  // be measured by one thread, which takes no other from anybody.
  static Parallel in_turns(int threads) noexcept;

  // Calls f(task, worker) for each task in [0, tasks), worker in [0, threads()), each once. A thread works upwards through its share,
  // the same part of the tasks in each loop, and then through what is left of others'. Returns when all are done. Results must not
  // depend on which worker does what.
  template <class F> void run(int64_t tasks, F&& f) const noexcept {
    if (threads_ == 1 || tasks <= 1) {
      for (int64_t i = 0; i < tasks; ++i) f(i, 0);
      return;
    }
    using Fn = std::remove_reference_t<F>;
    dispatch(
        tasks, [](void* c, int64_t task, int worker) { (*static_cast<Fn*>(c))(task, worker); },
        const_cast<void*>(static_cast<const void*>(&f)));
  }

  // Starts the workers now, so that the first loop does not: a context does so when it is made.
  void prepare() const noexcept;

  // While a Hot scope lives, workers that ran out of tasks spin instead of sleeping: a graph run opens one, since
  // the next loop follows in microseconds.
  class Hot {
   public:
    explicit Hot(const Parallel& p) noexcept;
    ~Hot();
    Hot(const Hot&) = delete;
    Hot& operator=(const Hot&) = delete;

   private:
    bool on_;
    uint32_t forks_;  // when it began: a child counts its own
  };

 private:
  void dispatch(int64_t tasks, ParallelBody body, void* context) const noexcept;
  int threads_;
  bool in_turns_ = false;
  const HostLoop* loop_;
};

}  // namespace anydim
