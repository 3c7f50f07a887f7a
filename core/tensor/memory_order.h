// SPDX-License-Identifier: Apache-2.0
// The order of a tensor in memory, by its strides. Gaps, directions and axes of one element do not count.
#pragma once

#include <cstdlib>

#include "core/tensor/dims.h"

namespace anydim {

// Is each of the `rank` axes in it once?
inline bool is_order_of(const Perm& order, int rank) noexcept {
  uint32_t seen = 0;
  for (const int32_t axis : order) seen |= axis >= 0 && axis < rank ? 1u << axis : 0;
  return order.rank == rank && seen == (1u << rank) - 1;
}

// The axes, outermost first. Those without steps (of one element, or repeated) come before the next one that has some.
inline Perm order_in_memory(const TensorView& t) noexcept {
  Perm order;
  const auto step = [&](int axis) { return t.dims[axis] > 1 ? std::abs(t.strides[axis]) : 0; };
  for (int i = 0; i < t.rank(); ++i) {
    int at = order.rank;
    while (at > 0 && step(order[at - 1]) < step(i)) --at;
    if (step(i) != 0) order.insert(at, i);
  }
  for (int i = 0; i < t.rank(); ++i) {
    if (step(i) != 0) continue;
    int at = 0;
    while (at < order.rank && order[at] < i) ++at;
    order.insert(at, i);
  }
  return order;
}

// True if the axes lie in memory as they are numbered.
inline bool lies_in_rows(const TensorView& t) noexcept {
  const Perm order = order_in_memory(t);
  for (int i = 0; i < order.rank; ++i)
    if (order[i] != i) return false;
  return true;
}

}  // namespace anydim
