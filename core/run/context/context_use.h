// SPDX-License-Identifier: Apache-2.0
// The right to use a context, from one call's begin to its end: a second user gets `busy`.
#pragma once

#include <atomic>

#include "core/base/status.h"

namespace anydim {

class ContextUse {
 public:
  explicit ContextUse(std::atomic<bool>& busy) noexcept : busy_(busy), mine_(!busy.exchange(true, std::memory_order_acquire)) {}
  ~ContextUse() {
    if (mine_) busy_.store(false, std::memory_order_release);
  }
  ContextUse(const ContextUse&) = delete;
  ContextUse& operator=(const ContextUse&) = delete;

  // Ok: the context is this call's.
  Status status() const {
    return mine_ ? Status() : error(Code::busy, "another thread is using this context; a context has one user at a time");
  }

 private:
  std::atomic<bool>& busy_;
  const bool mine_;
};

}  // namespace anydim
