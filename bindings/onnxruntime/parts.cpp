// SPDX-License-Identifier: Apache-2.0
// The number of a node's part is how often paths to it come out of unsupported nodes, at most. A path between two nodes of one part
// that leads over an unsupported one would raise that number, so there is none.
#include "bindings/onnxruntime/parts.h"

#include <algorithm>

namespace anydim::ort {

std::vector<std::vector<size_t>> parts_of(const std::vector<bool>& supported, const std::vector<std::vector<size_t>>& before,
                                          const std::vector<size_t>& order) {
  std::vector<size_t> part(supported.size(), 0);
  std::vector<std::vector<size_t>> parts;
  for (const size_t node : order) {
    for (const size_t from : before[node]) part[node] = std::max(part[node], part[from] + (supported[node] && !supported[from] ? 1 : 0));
    if (!supported[node]) continue;
    if (parts.size() <= part[node]) parts.resize(part[node] + 1);
    parts[part[node]].push_back(node);
  }
  parts.erase(std::remove_if(parts.begin(), parts.end(), [](const auto& p) { return p.empty(); }), parts.end());
  return parts;
}

}  // namespace anydim::ort
