// SPDX-License-Identifier: Apache-2.0
// Locks of objects of which there are many, so that no fork handler can take each of them: one gate stands before them all. A fork
// closes it and waits until nobody is within, so what such a lock guards is whole in the child, and the lock is free there.
// Not for what a process has one of, which takes its lock in handlers of its own (fork.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "core/base/threads/fork.h"

namespace anydim {

// Counts the forks between this process and the one that loaded the library. What was noted with another number began in a parent, on a
// thread that may not exist here. Counted from the first ForkLock or CountsForks on.
uint32_t forks_so_far() noexcept;

// Whoever notes forks_so_far() has one of these, or a ForkLock.
struct CountsForks {
  CountsForks() noexcept;
};

// Held for microseconds: under it nothing is waited for but other locks of this kind, and no lock that a fork handler takes.
class ForkLock {
 public:
  ForkLock() noexcept = default;
  ForkLock(const ForkLock&) = delete;
  ForkLock& operator=(const ForkLock&) = delete;
  void lock() noexcept {
    enter();
    mutex_.lock();
  }
  void unlock() noexcept {
    mutex_.unlock();
    leave();
  }

 private:
  static void enter() noexcept;
  static void leave() noexcept;
  [[no_unique_address]] const CountsForks counts_;
  std::mutex mutex_;
};

// For what takes long: a fork waits for nobody. Whoever held one in the parent left what it guards half-way, so it is never free again in
// the child.
class LongForkLock {
 public:
  // False: another thread of the parent held it when it forked.
  [[nodiscard]] bool lock() noexcept;
  void unlock() noexcept;

 private:
  [[no_unique_address]] const CountsForks counts_;
  std::atomic<uint32_t> holder_{0};  // 0, or one more than forks_so_far() when it was taken
};

}  // namespace anydim
