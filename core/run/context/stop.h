// SPDX-License-Identifier: Apache-2.0
// What ends a run from outside before its next node: flags that anybody sets, and a question that the caller's thread answers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/base/clock.h"

namespace anydim {

class Stop {
 public:
  Stop() noexcept = default;
  // It ends while `*flag` is not 0, read atomically, or `*other` is not 0; null: no flag.
  explicit Stop(const int32_t* flag, const std::atomic<int32_t>* other = nullptr) noexcept : flag_(flag), other_(other) {}
  // As well, ask(user) not 0 ends it. Asked on the thread that runs, some milliseconds after the run began and from then on every so
  // many, fewer where an answer takes long.
  void set_question(int32_t (*question)(void*), void* user) noexcept {
    question_ = question;
    user_ = user;
    next_ = coarse_wall_clock() + kEvery;
  }

  bool any() const noexcept { return flag_ != nullptr || other_ != nullptr || question_ != nullptr; }
  bool ended() noexcept {
    if (flag_ != nullptr && __atomic_load_n(flag_, __ATOMIC_RELAXED) != 0) return true;
    if (other_ != nullptr && other_->load(std::memory_order_relaxed) != 0) return true;
    if (question_ == nullptr || coarse_wall_clock() < next_) return false;
    const int64_t begin = wall_clock();
    const bool yes = question_(user_) != 0;
    const int64_t end = wall_clock();
    // An answer may wait for a lock of the host's (Python's GIL): at most a twentieth of the run's time goes that way.
    next_ = end + std::max(kEvery, 20 * (end - begin));
    return yes;
  }

 private:
  static constexpr int64_t kEvery = 10'000'000;  // ns

  const int32_t* flag_ = nullptr;
  const std::atomic<int32_t>* other_ = nullptr;
  int32_t (*question_)(void*) = nullptr;
  void* user_ = nullptr;
  int64_t next_ = 0;
};

}  // namespace anydim
