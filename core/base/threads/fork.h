// SPDX-License-Identifier: Apache-2.0
// What a fork has to do to the process-wide state of a module: a child has the memory of its parent but only one of its threads,
// so a lock that another thread held stays locked in it forever. Who has such a lock takes it before the fork and releases it
// on both sides, or leaves the state to the parent and starts with a new one.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>

namespace anydim {

// The handlers of one module; null before and in the parent: nothing to do. They are called once per fork, in no order among modules, so that a lock taken
// by `kBefore` is one under which no other module's is taken.
template <void (*kBefore)() noexcept, void (*kAfterInParent)() noexcept, void (*kAfterInChild)() noexcept> class ForkHandlers {
 public:
  // Returns when they are registered: to be called by every thread before it takes the lock, and while it holds none (a fork
  // that is under way keeps registrations waiting). A load, after the first time.
  static void ensure() noexcept {
    while (state_.load(std::memory_order_acquire) != kRegistered) try_once();
  }

 private:
  static constexpr int kNobody = 0, kRegistered = -1;  // else the process one of whose threads is registering them

  static void try_once() noexcept {
    const int me = getpid();
    int now = state_.load(std::memory_order_relaxed);
    if (now == kRegistered) return;
    if (now == me) {
      sched_yield();
      return;
    }
    // Nobody, or the parent when this process was forked: that thread did not come along.
    if (!state_.compare_exchange_strong(now, me)) return;
    pthread_atfork(kBefore, kAfterInParent, in_child);
    state_.store(kRegistered, std::memory_order_release);
  }
  // That it runs says that the handlers came along, whatever the thread that registered them got to say.
  static void in_child() noexcept {
    state_.store(kRegistered, std::memory_order_relaxed);
    kAfterInChild();
  }

  static inline constinit std::atomic<int> state_{kNobody};
};

}  // namespace anydim
