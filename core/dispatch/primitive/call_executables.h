// SPDX-License-Identifier: Apache-2.0
// The executables for single calls that a device's primitive has (Engine::specialise), by numbers that no other one of the process has. A
// plan's choice names one by its number; whoever finds none runs the reusable one. The newest are kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/threads/fork_lock.h"
#include "core/engines/engine.h"

namespace anydim {

class CallExecutables {
 public:
  static constexpr size_t kMost = 64;

  int32_t put(ExecutablePtr executable) {
    static std::atomic<int32_t> last{0};
    const int32_t number = last.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::lock_guard lock(lock_);
    if (all_.size() == kMost) all_.erase(all_.begin());
    all_.emplace_back(number, std::move(executable));
    return number;
  }
  void drop(int32_t number) {
    const std::lock_guard lock(lock_);
    std::erase_if(all_, [&](const auto& one) { return one.first == number; });
  }
  ExecutablePtr find(int32_t number) const {
    const std::lock_guard lock(lock_);
    for (const auto& [n, executable] : all_)
      if (n == number) return executable;
    return nullptr;
  }

 private:
  mutable ForkLock lock_;
  std::vector<std::pair<int32_t, ExecutablePtr>> all_;
};

}  // namespace anydim
