// SPDX-License-Identifier: Apache-2.0
// Numbers of devices in this process (Engine::number()): each engine that is a device of its own takes the next one.
#pragma once

#include <atomic>
#include <cstdint>

namespace anydim {

// 0 is the CPU's.
inline uint32_t next_device_number() noexcept {
  static std::atomic<uint32_t> next{1};
  return next++;
}

}  // namespace anydim
