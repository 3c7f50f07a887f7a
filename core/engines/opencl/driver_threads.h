// SPDX-License-Identifier: Apache-2.0
// The threads that drivers of processors compute with, on different cores. On a virtual machine the kernel wakes several of them on
// one core while another stands empty (docs/decisions/016-workers-leave-the-callers-core.md); a driver's threads then share it for
// seconds. They are known by their name: a new thread has that of the thread that made it.
#pragma once

#include <sched.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace anydim::opencl {

// While one of these lives, threads that a driver makes for this one are known as a driver's.
class DriverThreadsMark {
 public:
  DriverThreadsMark() noexcept;
  ~DriverThreadsMark();
  DriverThreadsMark(const DriverThreadsMark&) = delete;
  DriverThreadsMark& operator=(const DriverThreadsMark&) = delete;

 private:
  char name_[16] = {};  // of this thread
  bool marked_ = false;
};

// The threads that were made under a mark and that nobody has placed. A driver with a thread for each core has each on its own core; one
// with fewer computes with the thread that waits, too, and its threads leave that one's core. Only with ANYDIM_OPENCL_THREADS=placed, and
// not with threads whose cores somebody has chosen.
class DriverThreads {
 public:
  void find();
  // By a thread that is about to wait for the device.
  void leave_core_to_caller() noexcept;
  int count() const noexcept { return static_cast<int>(threads_.size()); }

 private:
  std::vector<int> threads_;  // the system's numbers
  cpu_set_t allowed_, now_;
  std::atomic<int> left_{-1};  // the caller's core; -1: none yet
  std::atomic<bool> follows_{false};
  std::mutex mutex_;
};

}  // namespace anydim::opencl
