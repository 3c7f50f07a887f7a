// SPDX-License-Identifier: Apache-2.0
// The clocks of clock.h, by the operating system.
#include "core/base/clock.h"

#include <chrono>
#include <ctime>

namespace anydim {

int64_t wall_clock() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int64_t thread_clock() noexcept {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

}  // namespace anydim
