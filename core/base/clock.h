// SPDX-License-Identifier: Apache-2.0
// Clocks: the wall's, and those of the work of the calling thread and of the process. Times of the core are read here alone.
#pragma once

#include <cstdint>

namespace anydim {

// Nanoseconds since some moment. A plan for one thread is best measured by that thread's own time: what else runs on the core
// does not count then. With several threads only the wall's clock counts.
int64_t wall_clock() noexcept;
int64_t thread_clock() noexcept;
int64_t process_clock() noexcept;
// The wall's, some milliseconds behind, for less than half the price.
int64_t coarse_wall_clock() noexcept;

}  // namespace anydim
