// SPDX-License-Identifier: Apache-2.0
// Copying many runs of one length: short runs are the common case (channels of one pixel, rows of a small table), and a
// call of memcpy for each would cost more than the copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace anydim {

// Calls f(copy), where copy(to, from, bytes) suits runs of so many bytes. It is made once for all of them.
template <class F> inline void with_run_copy(int64_t bytes, F&& f) noexcept {
  // Two moves that overlap cover any length from one to two of them.
  const auto twice = [](auto word) {
    return [](std::byte* to, const std::byte* from, int64_t n) {
      constexpr int64_t kWord = sizeof(word);
      std::memcpy(to, from, kWord);
      std::memcpy(to + n - kWord, from + n - kWord, kWord);
    };
  };
  if (bytes > 16 && bytes <= 512)
    return f([](std::byte* to, const std::byte* from, int64_t n) {
      int64_t i = 0;
      for (; i + 16 <= n; i += 16) std::memcpy(to + i, from + i, 16);
      if (i < n) std::memcpy(to + n - 16, from + n - 16, 16);
    });
  if (bytes == 16) return f([](std::byte* to, const std::byte* from, int64_t) { std::memcpy(to, from, 16); });
  if (bytes >= 8 && bytes < 16) return f(twice(uint64_t{}));
  if (bytes >= 4 && bytes < 8) return f(twice(uint32_t{}));
  if (bytes == 2 || bytes == 3) return f(twice(uint16_t{}));
  if (bytes == 1) return f([](std::byte* to, const std::byte* from, int64_t) { *to = *from; });
  f([](std::byte* to, const std::byte* from, int64_t n) { std::memcpy(to, from, static_cast<size_t>(n)); });
}

}  // namespace anydim
