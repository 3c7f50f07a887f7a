// SPDX-License-Identifier: Apache-2.0
// Something that happens once and that one thread waits for, until a time of CLOCK_MONOTONIC or a signal. sem_clockwait would do, but
// glibc has it from 2.30 on and musl has none; this is the system call that it makes (futex), and costs the same. And events that concern
// several threads at the same time, which one system call wakes.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <ctime>

namespace anydim {

class Completion {
 public:
  Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  // What was written before is seen by whoever waited. It may be gone by the time this returns: its address alone is used from then on.
  void complete() noexcept {
    completed_.store(1, std::memory_order_release);
    syscall(SYS_futex, &completed_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

  // 0 when it is complete, ETIMEDOUT at `until` (null: never), EINTR when a signal came.
  int wait(const timespec* until = nullptr) noexcept {
    while (completed_.load(std::memory_order_acquire) == 0) {
      if (syscall(SYS_futex, &completed_, FUTEX_WAIT_BITSET_PRIVATE, 0, until, nullptr, FUTEX_BITSET_MATCH_ANY) == 0) continue;
      if (errno == ETIMEDOUT || errno == EINTR) return errno;
    }
    return 0;
  }

 private:
  std::atomic<uint32_t> completed_{0};
  static_assert(sizeof(std::atomic<uint32_t>) == 4);
};

// Many threads wait here, each for a flag of its own. Who sets flags wakes all that wait for them with one system call, which costs half
// of one for each. A thread is woken by a bit, so that few wake for nothing.
class alignas(64) Completions {
 public:
  // The flag may be gone when this returns.
  static void set(std::atomic<uint32_t>* flag) noexcept { flag->store(1, std::memory_order_release); }
  // After the flags of all that wait with one of `bits` were set.
  void wake(uint32_t bits) noexcept {
    changes_.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &changes_, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, nullptr, bits);
  }
  // 0 when the flag is set, ETIMEDOUT at `until` (null: never), EINTR when a signal came.
  int wait(const std::atomic<uint32_t>& flag, uint32_t bit, const timespec* until = nullptr) noexcept {
    for (;;) {
      const uint32_t seen = changes_.load(std::memory_order_acquire);
      if (flag.load(std::memory_order_acquire) != 0) return 0;
      if (syscall(SYS_futex, &changes_, FUTEX_WAIT_BITSET_PRIVATE, seen, until, nullptr, bit) == 0) continue;
      if (errno == ETIMEDOUT || errno == EINTR) return errno;
    }
  }

 private:
  std::atomic<uint32_t> changes_{0};
};

}  // namespace anydim
