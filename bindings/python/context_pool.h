// SPDX-License-Identifier: Apache-2.0
// The contexts of a session, for any number of threads, first come, first served (fair_pool.h). It is C++ so that a context
// goes from one run to the next without the GIL: whoever waits has it, computes in it and passes it on while other threads
// run Python, and no exception of Python's can come between having it and giving it back.
#pragma once

#include <unistd.h>

#include <atomic>

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

  // A context of the pool's, until it is given back or forgotten. Giving back needs no GIL.
  class Lease {
   public:
    Lease(ContextPool* pool, PooledContext* context) noexcept : pool_(pool), context_(context) {}
    Lease(Lease&& o) noexcept : pool_(std::exchange(o.pool_, nullptr)), context_(o.context_), watched_(o.watched_) {}
    ~Lease() { give_back(); }
    anydim_context_t handle() const noexcept { return context_->handle; }
    void give_back() noexcept;
    // The flag that ends runs of this lease (anydim_context_watch).
    void watch(const int32_t* flag);

   private:
    ContextPool* pool_;
    PooledContext* context_;
    bool watched_ = false;
  };

  // With the GIL, which is let go of while the thread waits. Raises what making a context raises, and what a signal's handler
  // does (KeyboardInterrupt).
  Lease lease();

  int64_t growths() const;
  int64_t arena_bytes() const;
  int size() const;
  int in_use() const;
  int waiting() const;

 private:
  std::unique_ptr<PooledContext> make() const;
  // A fork leaves the pool's state as it was, a lock that another thread held among it: in the child this raises.
  void check_process() const;

  py::object make_;
  const pid_t process_ = getpid();
  PooledContext* first_ = nullptr;  // whom a forked child asks what is wrong
  FairPool<PooledContext> pool_;
};

}  // namespace anydim_python
