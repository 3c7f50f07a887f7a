// SPDX-License-Identifier: Apache-2.0
// Memory that a context without bounds gets when it is made, for shapes that are to come: its first calls then wait for less of it.
// All contexts of the process together get no more than a small part of what it holds anyway.
#pragma once

#include <atomic>
#include <cstdint>

namespace anydim {

class MemoryAhead {
 public:
  static constexpr int64_t kShare = 10;                   // a tenth of the resident set, at most
  static constexpr int64_t kMost = int64_t{32} << 20;     // of one context
  static constexpr int64_t kAlways = int64_t{512} << 10;  // that each context may have, whatever the process holds
  static constexpr int64_t kOfHost = int64_t{128} << 10;  // the same inside a host program, where making a session must take little

  MemoryAhead() = default;
  ~MemoryAhead() { all_.fetch_sub(counted_, std::memory_order_relaxed); }
  MemoryAhead(const MemoryAhead&) = delete;
  MemoryAhead& operator=(const MemoryAhead&) = delete;

  // How many bytes of `wanted` may be got; they count until this ends. To be asked once.
  int64_t grant(int64_t wanted) noexcept;

 private:
  static inline constinit std::atomic<int64_t> all_{0};  // beyond kAlways, of the process's contexts
  int64_t counted_ = 0;
};

}  // namespace anydim
