// SPDX-License-Identifier: Apache-2.0
// The contexts of a session, for any number of threads, first come, first served (fair_pool.h). It is C++ so that a context
// goes from one job to the next without the GIL: whatever has a context computes, and never waits for Python.
#pragma once

#include <unistd.h>

#include <atomic>
#include <string>

#include "bindings/python/fair_pool.h"
#include "bindings/python/module_support.h"

namespace anydim_python {

struct PooledContext {
  explicit PooledContext(py::object context);
  ~PooledContext();
  PooledContext(const PooledContext&) = delete;
  PooledContext& operator=(const PooledContext&) = delete;

  void note() noexcept;  // how much memory it has now; by whoever has it

  py::object owner;  // of the handle: an object of the generated class Context
  anydim_context_t handle;
  std::atomic<int64_t> growths{0}, arena_bytes{0};  // as noted last, so that asking waits for no run
};

class ContextPool {
 public:
  // `make` returns a new Context; it must not hold what holds the pool. The first is made now.
  ContextPool(py::object make, int limit);

  // Calls job(handle of a context), once, without the GIL, on this thread or one of the pool's; `stop`, if given, ends what the
  // context runs while it is not 0 (anydim_context_watch). With the GIL, which is let go of. Raises for a status that is no
  // success, what making a context raises, and what a signal's handler does (KeyboardInterrupt).
  template <class Job> void use(Job&& job, const int32_t* stop = nullptr) {
    Outcome outcome;
    const auto all = [&](PooledContext& context) noexcept { outcome = attempt(context, stop, job); };
    use_one(all);
    if (outcome.status != ANYDIM_STATUS_OK) raise(outcome.status, outcome.message);
  }

  int64_t growths() const;
  int64_t arena_bytes() const;
  int size() const;
  int in_use() const;
  int waiting() const;

 private:
  // A message of the C library belongs to the thread that made it, so it travels with the status.
  struct Outcome {
    anydim_status_t status = ANYDIM_STATUS_OK;
    std::string message;
  };
  template <class Job> static Outcome attempt(PooledContext& context, const int32_t* stop, Job& job) noexcept try {
    Outcome outcome;
    if (stop != nullptr) outcome.status = anydim_context_watch(context.handle, const_cast<int32_t*>(stop));
    if (outcome.status == ANYDIM_STATUS_OK) outcome.status = job(context.handle);
    if (outcome.status != ANYDIM_STATUS_OK) outcome.message = anydim_last_error();
    if (stop != nullptr) anydim_context_watch(context.handle, nullptr);
    context.note();
    return outcome;
  } catch (...) {
    return {ANYDIM_STATUS_OUT_OF_MEMORY, {}};
  }
  using ContextJob = void (*)(void* job, PooledContext& context);
  template <class Job> void use_one(Job& job) {
    use_one([](void* it, PooledContext& context) { (*static_cast<Job*>(it))(context); }, const_cast<void*>(static_cast<const void*>(&job)));
  }
  void use_one(ContextJob job, void* it);
  std::unique_ptr<PooledContext> make() const;
  // A fork leaves the pool's state as it was, a lock that another thread held among it: in the child this raises.
  void check_process() const;

  py::object make_;
  const pid_t process_ = getpid();
  PooledContext* first_ = nullptr;  // whom a forked child asks what is wrong
  FairPool<PooledContext> pool_;
};

}  // namespace anydim_python
