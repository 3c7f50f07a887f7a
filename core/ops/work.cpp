// SPDX-License-Identifier: Apache-2.0
// Forms of answers that several operators give; see work.h.
#include "core/ops/work.h"

#include <algorithm>

namespace anydim {

double count_of(const Dims& d) noexcept {
  double n = 1;
  for (int64_t v : d) n *= static_cast<double>(v);
  return n;
}

Work work_per_element(std::span<const Dims> in, std::span<const Dims> out) noexcept {
  Work w;
  for (const Dims& d : in) w.steps = std::max(w.steps, count_of(d));
  for (const Dims& d : out) w.steps = std::max(w.steps, count_of(d));
  return w;
}

// The smallest of the axes bounds them all.
ValueRange index_vectors_into(const Dims& data, int first, const Dims& indices) noexcept {
  const int depth = indices.rank > 0 ? static_cast<int>(indices.back()) : 0;
  int64_t least = INT64_MAX;
  for (int i = first; i < data.rank && i - first < depth; ++i) least = std::min(least, data[i]);
  return least == INT64_MAX ? ValueRange{0, 0} : index_into(least);
}

}  // namespace anydim
