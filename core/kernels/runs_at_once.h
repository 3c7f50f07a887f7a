// SPDX-License-Identifier: Apache-2.0
// Kernels whose short runs, one after the other in a program, may be one loop over the threads: these then meet once, and not once a run.
#pragma once

#include <span>

#include "core/kernels/kernel.h"

namespace anydim {

// What a run of a step is called with.
struct BoundRun {
  const Plan* plan = nullptr;
  const Args* args = nullptr;
};

// What such a kernel is beside a HostKernel.
class RunsAtOnce {
 public:
  static constexpr size_t kMost = 4;
  // Does the first of these runs (two to kMost, of this kernel) at once, as many as it can so that each has the bits that it has after
  // those before it. Returns how many; 0: none, they are for run(). Allocates nothing.
  virtual size_t run_at_once(std::span<const BoundRun> runs) const noexcept = 0;

 protected:
  ~RunsAtOnce() = default;
};

}  // namespace anydim
