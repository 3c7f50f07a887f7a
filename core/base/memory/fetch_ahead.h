// SPDX-License-Identifier: Apache-2.0
// Memory that is read soon is fetched into the caches while something else is computed.
#pragma once

#include <cstddef>

namespace anydim {

constexpr size_t kCacheLine = 64;

inline void fetch_ahead(const void* from, size_t bytes) noexcept {
  const char* const p = static_cast<const char*>(from);
  for (size_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(p + at, 0, 3);
}

}  // namespace anydim
