// SPDX-License-Identifier: Apache-2.0
// Ids of devices in this process (Engine::device_id()): each engine that is a device of its own takes the next one.
#pragma once

#include <atomic>
#include <cstdint>

namespace anydim {

// 0 is the CPU's.
inline uint32_t next_device_id() noexcept {
  static std::atomic<uint32_t> next{1};
  return next++;
}

}  // namespace anydim
