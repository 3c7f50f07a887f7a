// SPDX-License-Identifier: Apache-2.0
// The CPU as a device: how many threads it may use. Immutable once made; shared freely.
#pragma once

#include <memory>

#include "core/base/status.h"
#include "core/base/threads.h"

namespace anydim {

class CpuEngine {
 public:
  // threads: 0 for every core this process may use.
  static Status create(int threads, std::shared_ptr<const CpuEngine>* out);

  int threads() const noexcept { return threads_; }
  // A loop of at most `cap` threads (0: the engine's own number).
  Parallel parallel(int cap = 0) const noexcept { return Parallel(cap > 0 && cap < threads_ ? cap : threads_); }

 private:
  int threads_ = 1;
};

}  // namespace anydim
