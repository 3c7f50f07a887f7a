// SPDX-License-Identifier: Apache-2.0
// From when to when each buffer holds something that is still wanted, in steps: the executing nodes in order.
#pragma once

#include <vector>

#include "core/graph/plan/storage.h"
#include "core/program/memory_plan.h"

namespace anydim {

struct Lifetimes {
  std::vector<BufferLifetime> buffers;  // by storage buffer; last < first: never touched
  int32_t steps = 0;
};

// Buffers of graph outputs live to the last step.
Lifetimes lifetimes_of(const Graph& graph, const Storage& storage);

}  // namespace anydim
