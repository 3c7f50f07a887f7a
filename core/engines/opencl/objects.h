// SPDX-License-Identifier: Apache-2.0
// The driver's objects with an owner each. In a forked child they are left alone: the driver's threads are the parent's, and its locks
// may be held forever.
#pragma once

#include <utility>

#include "core/base/threads/fork_lock.h"
#include "core/engines/opencl/api.h"

namespace anydim::opencl {

// Whether this is the process in which it was made.
class MadeHere {
 public:
  bool here() const noexcept { return forks_ == forks_so_far(); }
  Status check() const {
    if (here()) return {};
    return error(Code::forked,
                 "OpenCL was used before this process was forked, and drivers do not survive that; use it in the child alone");
  }

 private:
  uint32_t forks_ = (CountsForks(), forks_so_far());
};

template <class Id, Int (*Api::*kRelease)(Id)> class Owned {
 public:
  Owned() noexcept = default;
  Owned(const Api& api, Id id) noexcept : api_(&api), id_(id) {}
  Owned(Owned&& other) noexcept : api_(other.api_), id_(std::exchange(other.id_, nullptr)), made_(other.made_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(id_, other.id_);
    std::swap(made_, other.made_);
    return *this;
  }
  ~Owned() {
    if (id_ != nullptr && made_.here()) (api_->*kRelease)(id_);
  }
  Id get() const noexcept { return id_; }
  explicit operator bool() const noexcept { return id_ != nullptr; }

 private:
  const Api* api_ = nullptr;
  Id id_ = nullptr;
  MadeHere made_;
};

using OwnedContext = Owned<ContextId, &Api::release_context>;
using OwnedQueue = Owned<QueueId, &Api::release_command_queue>;
using OwnedMem = Owned<MemId, &Api::release_mem_object>;
using OwnedProgram = Owned<ProgramId, &Api::release_program>;
using OwnedKernel = Owned<KernelId, &Api::release_kernel>;
using OwnedEvent = Owned<EventId, &Api::release_event>;

// Waits for a command that was enqueued with this result. Blocking calls are used nowhere: those of Intel's runtime return before the
// command is done (docs/decisions/067-blocking-calls-do-not-block.md).
inline Status finish_command(const Api& api, Int enqueued, EventId event, const char* what) {
  if (enqueued != cl::kSuccess) return failure(enqueued, what);
  const OwnedEvent owned(api, event);
  const Int done = api.wait_for_events(1, &event);
  return done == cl::kSuccess ? Status() : failure(done, what);
}

// Waits for everything that a queue was given. Not by clFinish, which returns at once in Mesa's rusticl if the queue was flushed before
// (docs/decisions/067-blocking-calls-do-not-block.md).
inline Status finish_queue(const Api& api, QueueId queue) {
  EventId event = nullptr;
  const Int enqueued = api.enqueue_marker_with_wait_list(queue, 0, nullptr, &event);
  return finish_command(api, enqueued, event, "waiting for the device");
}

}  // namespace anydim::opencl
