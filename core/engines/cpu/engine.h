// SPDX-License-Identifier: Apache-2.0
// The CPU as a device: how many threads it may use and whose loop runs them. Immutable once made; shared freely.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>

#include "core/base/status.h"
#include "core/base/threads.h"
#include "core/kernels/kernel.h"

namespace anydim {

class CpuEngine {
 public:
  // threads: 0 for every core this process may use. A host's parallel loop replaces the library's pool.
  static Status create(int threads, HostParallelFor host_for, void* host, std::shared_ptr<const CpuEngine>* out);

  int threads() const noexcept { return threads_; }
  // A loop of at most `cap` threads (0: the engine's own number).
  Parallel parallel(int cap = 0) const noexcept {
    return Parallel(cap > 0 && cap < threads_ ? cap : threads_, host_for_, host_);
  }
  // The parent's engine is not used in a forked child: its threads did not come along.
  Status check_process() const;
  std::string describe() const;  // "cpu: AMD EPYC, avx512_bf16, 2 threads"

 private:
  int threads_ = 1;
  HostParallelFor host_for_ = nullptr;
  void* host_ = nullptr;
  pid_t process_ = 0;
};

// An order of execution and the scratch memory its primitives use. One user at a time: a second caller gets busy.
class CpuStream {
 public:
  explicit CpuStream(std::shared_ptr<const CpuEngine> engine) : engine_(std::move(engine)) {}
  const CpuEngine& engine() const noexcept { return *engine_; }

  // Grows the scratch to at least `bytes` (never shrinks); reserve() before the first run keeps runs free of it.
  Status reserve(int64_t bytes);
  void* scratch() const noexcept { return scratch_.data(); }
  int64_t scratch_size() const noexcept { return scratch_.size(); }

  // Takes the stream for one call.
  class Use {
   public:
    explicit Use(CpuStream& s) noexcept : stream_(s), mine_(!s.busy_.exchange(true, std::memory_order_acquire)) {}
    ~Use() {
      if (mine_) stream_.busy_.store(false, std::memory_order_release);
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    explicit operator bool() const noexcept { return mine_; }

   private:
    CpuStream& stream_;
    bool mine_;
  };

 private:
  std::shared_ptr<const CpuEngine> engine_;
  AlignedBuffer scratch_;
  std::atomic<bool> busy_{false};
};

}  // namespace anydim
