// SPDX-License-Identifier: Apache-2.0
// Clocks: the wall's, and the one of the calling thread's own work.
#pragma once

#include <cstdint>

namespace anydim {

// Nanoseconds since some moment. A plan for one thread is best measured by that thread's own time: what else runs on the core
// does not count then. With several threads only the wall's clock tells.
int64_t wall_clock() noexcept;
int64_t thread_clock() noexcept;

}  // namespace anydim
