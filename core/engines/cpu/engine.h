// SPDX-License-Identifier: Apache-2.0
// The CPU as a device: how many threads it may use and whose loop runs them. Immutable once made; shared freely.
#pragma once

#include <memory>

#include "core/base/status.h"
#include "core/base/threads.h"

namespace anydim {

class CpuEngine {
 public:
  // threads: 0 for every core this process may use. A host's parallel loop replaces the library's pool.
  static Status create(int threads, HostParallelFor host_for, void* host, std::shared_ptr<const CpuEngine>* out);

  int threads() const noexcept { return threads_; }
  // A loop of at most `cap` threads (0: the engine's own number).
  Parallel parallel(int cap = 0) const noexcept { return Parallel(cap > 0 && cap < threads_ ? cap : threads_, host_for_, host_); }

 private:
  int threads_ = 1;
  HostParallelFor host_for_ = nullptr;
  void* host_ = nullptr;
};

}  // namespace anydim
