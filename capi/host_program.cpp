// SPDX-License-Identifier: Apache-2.0
// Callbacks of a host program as the core's loop and source of memory; see host_program.h. Nothing that a callback throws comes
// through: a loop that fails leaves its work to the caller, failed allocations are a status.
#include "capi/host_program.h"

#include <memory>

#include "capi/environment.h"
#include "capi/log.h"

namespace anydim::capi {

Environment::~Environment() {
  if (!handed_over_ || finalizer_ == nullptr) return;
  try {
    finalizer_(user_);
  } catch (...) {
    log_line(ANYDIM_LOG_ERROR, "a finalizer of the host program threw");
  }
}

namespace {

class CallbackLoop final : public HostLoop {
 public:
  explicit CallbackLoop(const anydim_engine_options_t& o) noexcept
      : environment(o.parallel_user, o.parallel_finalizer), callback_(o.parallel_for) {}
  void run(int64_t parts, Part part, void* context) const override {
    const int32_t failed = callback_(environment.user(), parts, part, context);
    if (failed != 0) log_line(ANYDIM_LOG_WARNING, "the host's parallel_for gave {}; the caller does what is left", failed);
  }
  const Environment environment;

 private:
  const anydim_parallel_for_callback_t callback_;
};

class CallbackMemory final : public MemorySource {
 public:
  explicit CallbackMemory(const anydim_engine_options_t& o) noexcept
      : environment(o.memory_user, o.memory_finalizer), allocate_(o.allocate), release_(o.release) {}
  void* allocate(int64_t bytes, int64_t alignment) const noexcept override try {
    void* const memory = allocate_(environment.user(), bytes, alignment);
    if (reinterpret_cast<uintptr_t>(memory) % static_cast<uintptr_t>(alignment) == 0) return memory;
    log_line(ANYDIM_LOG_ERROR, "the host's allocate gave {}, which is not a multiple of {}", memory, alignment);
    release_(environment.user(), memory, bytes);
    return nullptr;
  } catch (...) {
    log_line(ANYDIM_LOG_ERROR, "the host's allocate threw");
    return nullptr;
  }
  void free(void* memory, int64_t bytes) const noexcept override try { release_(environment.user(), memory, bytes); } catch (...) {
    log_line(ANYDIM_LOG_ERROR, "the host's release threw");
  }
  const Environment environment;

 private:
  const anydim_allocate_callback_t allocate_;
  const anydim_release_callback_t release_;
};

}  // namespace

Status read_host(const anydim_engine_options_t& o, Engine::Host* out) {
  if (o.parallel_for == nullptr && o.parallel_finalizer != nullptr)
    return invalid("options.parallel_finalizer was given without parallel_for").about("options.parallel_for");
  if ((o.allocate == nullptr) != (o.release == nullptr))
    return invalid("options.{} is null and the other of the two is not; expected both or none", o.allocate ? "release" : "allocate")
        .about(o.allocate ? "options.release" : "options.allocate");
  if (o.allocate == nullptr && o.memory_finalizer != nullptr)
    return invalid("options.memory_finalizer was given without allocate").about("options.allocate");
  if (o.parallel_for != nullptr) out->loop = std::make_shared<const CallbackLoop>(o);
  if (o.allocate != nullptr) out->memory = std::make_shared<const CallbackMemory>(o);
  return {};
}

void hand_over(const Engine::Host& host) noexcept {
  if (host.loop) static_cast<const CallbackLoop&>(*host.loop).environment.hand_over();
  if (host.memory) static_cast<const CallbackMemory&>(*host.memory).environment.hand_over();
}

}  // namespace anydim::capi
