// SPDX-License-Identifier: Apache-2.0
// Which cores the pool's workers may run on: any but that of the caller whose loop they join. In a virtual machine a core that sleeps looks
// to the kernel as if the host had taken it, so the kernel puts a woken worker beside its caller, and two threads share a core
// while another is free (docs/decisions/016-workers-leave-the-callers-core.md).
#pragma once

#include <sched.h>

#include <array>
#include <atomic>

namespace anydim {

class Placement {
 public:
  // By a worker, when it starts.
  void enter() noexcept;
  // When a loop begins; by one caller at a time. Does nothing where there are fewer other cores than workers, and from
  // then on where somebody else has changed a worker's cores: then they stay as they are.
  void leave_core_to_caller() noexcept;
  // In a forked child, whose workers are yet to come.
  void forget() noexcept;

 private:
  struct Worker {
    std::atomic<int> thread{0};  // the system's number; 0 before it has entered
    cpu_set_t allowed, now;
  };
  std::array<Worker, 128> workers_;
  std::atomic<int> count_{0};
  int left_ = -1;   // the core that is the caller's
  int placed_ = 0;  // workers that were asked to move
  int strays_ = 0;
  bool off_ = false;
};

}  // namespace anydim
