// SPDX-License-Identifier: Apache-2.0
// Affinity masks of workers; see placement.h.
#include "core/base/threads/placement.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace anydim {

void Placement::enter() noexcept {
  const int at = count_.fetch_add(1, std::memory_order_relaxed);
  if (at >= static_cast<int>(workers_.size())) return;
  Worker& w = workers_[static_cast<size_t>(at)];
  if (sched_getaffinity(0, sizeof w.allowed, &w.allowed) != 0) CPU_ZERO(&w.allowed);
  w.now = w.allowed;
  w.thread.store(static_cast<int>(syscall(SYS_gettid)), std::memory_order_release);
}

void Placement::leave_core_to_caller() noexcept {
  const int here = sched_getcpu();
  const int count = count_.load(std::memory_order_relaxed);
  if ((here == left_ && count == placed_) || off_ || here < 0 || count > static_cast<int>(workers_.size())) return;
  // Callers on several cores by turns: a large pool does not follow each of them.
  if (here != left_ && ++strays_ <= count / 4 * 8) return;
  strays_ = 0;
  for (int i = 0; i < count; ++i) {
    Worker& w = workers_[static_cast<size_t>(i)];
    const int thread = w.thread.load(std::memory_order_acquire);
    if (thread == 0) return;  // the next loop places it
    cpu_set_t others = w.allowed, now;
    CPU_CLR(static_cast<size_t>(here), &others);
    if (CPU_COUNT(&others) < count) return;
    off_ = sched_getaffinity(thread, sizeof now, &now) != 0 || !CPU_EQUAL(&now, &w.now) ||
           sched_setaffinity(thread, sizeof others, &others) != 0;
    if (off_) return;
    w.now = others;
  }
  left_ = here;
  placed_ = count;
}

void Placement::forget() noexcept {
  for (Worker& w : workers_) w.thread.store(0);
  count_.store(0);
  left_ = -1;
  placed_ = 0;
}

}  // namespace anydim
