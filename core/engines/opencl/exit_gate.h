// SPDX-License-Identifier: Apache-2.0
// The end of the process and drivers that are at work: a driver that compiles while its own statics are destroyed crashes. Who calls one
// for long holds a pass; exit() waits until nobody does, and gives none any more.
#pragma once

#include "core/base/status.h"

namespace anydim::opencl {

class ExitGate {
 public:
  class Pass {
   public:
    Pass() noexcept = default;
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    // closed: the process ends.
    Status enter();

   private:
    bool in_ = false;
  };

  // To be called in threads that use the engine: whichever of them calls exit(), its end waits before any handler runs.
  static void watch_this_thread() noexcept;
  // To be called when a driver has registered what it does at exit: ours is done before it.
  static void before_what_was_registered() noexcept;
};

}  // namespace anydim::opencl
