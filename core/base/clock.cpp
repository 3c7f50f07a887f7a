// SPDX-License-Identifier: Apache-2.0
// The clocks of clock.h, by the operating system.
#include "core/base/clock.h"

#include <ctime>

namespace anydim {

namespace {

int64_t nanoseconds_of(clockid_t clock) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace

int64_t wall_clock() noexcept { return nanoseconds_of(CLOCK_MONOTONIC); }  // which std::chrono::steady_clock is, too
int64_t coarse_wall_clock() noexcept { return nanoseconds_of(CLOCK_MONOTONIC_COARSE); }
int64_t thread_clock() noexcept { return nanoseconds_of(CLOCK_THREAD_CPUTIME_ID); }
int64_t process_clock() noexcept { return nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace anydim
