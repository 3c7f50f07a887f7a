// SPDX-License-Identifier: Apache-2.0
// An in-order queue of an OpenCL device as a stream, and its events.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "core/engines/opencl/engine.h"

namespace anydim::opencl {

// What a stream's events may still ask when it is gone: which commands failed.
class Commands {
 public:
  explicit Commands(const Api& api) : api_(api) {}
  // The next command; its number, from 1.
  uint64_t add(OwnedEvent event);
  uint64_t submitted() const;
  // The first failure among those up to the number, all of which are done. Stays until take_failure().
  Status failure_until(uint64_t number);
  Status take_failure();

 private:
  void look(uint64_t until);  // at those that are done

  const Api& api_;
  mutable std::mutex mutex_;
  std::deque<OwnedEvent> unseen_;  // the last ones given, in order
  uint64_t submitted_ = 0, failed_at_ = 0;
  Int failed_ = cl::kSuccess;
};

class OpenclEvent final : public Event {
 public:
  static constexpr char kClass = 0;
  OpenclEvent(std::shared_ptr<const OpenclEngine> engine, std::shared_ptr<Commands> commands)
      : Event(&kClass), device_(std::move(engine)), commands_(std::move(commands)) {}
  Status wait() override;
  Status time(int64_t* nanoseconds) const override;

  bool is_of(const Commands* commands) const noexcept { return commands_.get() == commands; }
  const OpenclEngine& device() const noexcept { return *device_; }
  EventId id() const noexcept { return marker_.get(); }
  void record(OwnedEvent marker, uint64_t after) noexcept {
    marker_ = std::move(marker);
    after_ = after;
  }

 private:
  const std::shared_ptr<const OpenclEngine> device_;
  const std::shared_ptr<Commands> commands_;
  OwnedEvent marker_;
  uint64_t after_ = 0;
};

class OpenclStream final : public Stream {
 public:
  OpenclStream(std::shared_ptr<const OpenclEngine> engine, OwnedQueue queue);
  ~OpenclStream() override;
  Status submit(const Launch& launch) override;
  Status copy(BufferRef to, BufferRef from, int64_t bytes) override;
  Status record(EventPtr* out) override;
  Status wait_for(const EventPtr& event) override;
  Status wait() override;

  QueueId queue() const noexcept { return queue_.get(); }

 private:
  Status launch(const Launch& launch, const DeviceWork& work, Entry& entry);
  Status set_arguments(const Entry& entry, const MemId* memories, std::span<const int64_t> values, HeldKernel* kernel);
  // What a command came to when it was given, and its event.
  Status check(Int code, EventId event, const char* what);

  const std::shared_ptr<const OpenclEngine> device_;
  const Api& api_;
  const OwnedQueue queue_;
  const std::shared_ptr<Commands> commands_;
};

}  // namespace anydim::opencl
