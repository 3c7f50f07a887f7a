// SPDX-License-Identifier: Apache-2.0
// The memory of one context: lent by the caller, or taken from the system in whole pages and touched at once, so that no
// run meets a page fault. Huge pages where the system has them (first touch of 64 MB: 23.5 ms with 4 KB pages, 4.4 with
// 2 MB).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/status.h"

namespace anydim {

class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Uses the caller's memory, which is not freed and never grows.
  void borrow(void* memory, int64_t size) noexcept;
  // `bytes` in whole pages, unless there are as many; what is added is touched. What it held is lost. After an error it is as
  // it was.
  Status reserve(int64_t bytes);
  // The same with room for more, so that growing streams grow seldom: half as much again and 2 MiB at least, and whole huge
  // pages, since a part of one is made of small pages for good.
  Status grow(int64_t bytes);

  std::byte* data() const noexcept { return data_; }
  int64_t size() const noexcept { return size_; }
  bool borrowed() const noexcept { return borrowed_; }

 private:
  std::byte* data_ = nullptr;
  int64_t size_ = 0;
  bool borrowed_ = false;
};

}  // namespace anydim
