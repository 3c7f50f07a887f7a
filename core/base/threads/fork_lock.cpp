// SPDX-License-Identifier: Apache-2.0
// The gate: threads count themselves in at one of several doors, so that those with different locks rarely meet; see fork_lock.h.
#include "core/base/threads/fork_lock.h"

#include <sched.h>

#include <atomic>

namespace anydim {

namespace {

constexpr unsigned kDoors = 16;

struct alignas(64) Door {
  std::atomic<int32_t> inside{0};
};
constinit Door doors[kDoors];
constinit std::atomic<uint32_t> closed{0};
constinit std::atomic<uint32_t> forks{0};
constinit std::atomic<unsigned> next_door{0};

thread_local unsigned my_door = kDoors;
thread_local int depth = 0;  // locks that this thread holds: the second one must not wait for a fork that waits for the first

Door& door() noexcept {
  if (my_door == kDoors) my_door = next_door.fetch_add(1, std::memory_order_relaxed) % kDoors;
  return doors[my_door];
}

// What the thread that forks holds itself stays with it on both sides.
int32_t own(const Door& d) noexcept { return depth > 0 && &d == &door() ? 1 : 0; }

void before_fork() noexcept {
  closed.store(1, std::memory_order_seq_cst);
  for (Door& d : doors)
    while (d.inside.load(std::memory_order_seq_cst) != own(d)) sched_yield();
}
void after_fork() noexcept {
  closed.store(0, std::memory_order_release);
  closed.notify_all();
}
void after_fork_in_child() noexcept {
  forks.fetch_add(1, std::memory_order_relaxed);
  for (Door& d : doors) d.inside.store(own(d), std::memory_order_relaxed);  // others may have been on their way back from the closed gate
  closed.store(0, std::memory_order_relaxed);
}

}  // namespace

uint32_t forks_so_far() noexcept { return forks.load(std::memory_order_relaxed); }

CountsForks::CountsForks() noexcept { ForkHandlers<before_fork, after_fork, after_fork_in_child>::ensure(); }

void ForkLock::enter() noexcept {
  if (depth++ > 0) return;
  Door& mine = door();
  for (;;) {
    mine.inside.fetch_add(1, std::memory_order_seq_cst);
    if (closed.load(std::memory_order_seq_cst) == 0) return;
    mine.inside.fetch_sub(1, std::memory_order_release);
    closed.wait(1, std::memory_order_acquire);
  }
}

void ForkLock::leave() noexcept {
  if (--depth == 0) door().inside.fetch_sub(1, std::memory_order_release);
}

bool LongForkLock::lock() noexcept {
  const uint32_t me = 1 + forks_so_far();
  for (uint32_t holder = 0; !holder_.compare_exchange_strong(holder, me, std::memory_order_acquire); holder = 0) {
    if (holder != me) return false;
    holder_.wait(me, std::memory_order_relaxed);
  }
  return true;
}

void LongForkLock::unlock() noexcept {
  holder_.store(0, std::memory_order_release);
  holder_.notify_all();
}

}  // namespace anydim
