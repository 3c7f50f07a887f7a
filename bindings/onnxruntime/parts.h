// SPDX-License-Identifier: Apache-2.0
// Which nodes of a graph become one: sets of supported nodes such that no path leads out of a set and back into it.
#pragma once

#include <cstddef>
#include <vector>

namespace anydim::ort {

// `before[i]`: the nodes that node i reads from, all below i in a topological order `order` of the nodes. Each part is in that order.
// A node is in the earliest part that it can be in, which is the first one behind all unsupported nodes that it depends on.
std::vector<std::vector<size_t>> parts_of(const std::vector<bool>& supported, const std::vector<std::vector<size_t>>& before,
                                          const std::vector<size_t>& order);

}  // namespace anydim::ort
