// SPDX-License-Identifier: Apache-2.0
// Lines of indices as places. Plain loops, which the compiler turns into vectors of the instruction set.
#pragma once

#include "core/kernels/gather/index_lines.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

template <class I> inline bool find_in(const IndexLine& line, int64_t* __restrict places) {
  // What is out of range leaves the sign bit in `beyond`, which takes no comparison.
  uint64_t beyond = 0;
  const I* __restrict at = reinterpret_cast<const I*>(line.indices);
  const int64_t n = line.count, bound = line.bound;
  const uint64_t stride = line.stride, start = line.first, pace = line.pace;
  const auto each = [&](int64_t step, auto place_of) {
    for (int64_t i = 0; i < n; ++i) {
      int64_t found = at[i * step];
      found += found >> 63 & bound;
      const auto index = static_cast<uint64_t>(found);
      beyond |= index | (static_cast<uint64_t>(bound - 1) - index);
      places[i] = static_cast<int64_t>(place_of(i, index));
    }
  };
  const auto first = [&](int64_t i, uint64_t index) { return start + static_cast<uint64_t>(i) * pace + index * stride; };
  const auto later = [&](int64_t i, uint64_t index) { return static_cast<uint64_t>(places[i]) + index * stride; };
  if (line.adds) each(line.step, later);
  else if (line.step != 1) each(line.step, first);
  else if (stride != 1 || pace != 0) each(1, first);
  else each(1, [&](int64_t, uint64_t index) { return start + index; });
  return beyond >> 63 == 0;
}

template <class Best> inline void keep_best(float* there, const float* x, int64_t n, Best best) {
  constexpr int W = F32::kWidth;
  int64_t i = 0;
  for (; i + W <= n; i += W) best(F32::load(there + i), F32::load(x + i)).store(there + i);
  if (i == n) return;
  const int left = static_cast<int>(n - i);
  best(F32::load_partial(there + i, left), F32::load_partial(x + i, left)).store_partial(there + i, left);
}
inline void keep_largest(float* there, const float* x, int64_t n) noexcept {
  keep_best(there, x, n, [](F32 a, F32 b) { return max(a, b); });
}
inline void keep_smallest(float* there, const float* x, int64_t n) noexcept {
  keep_best(there, x, n, [](F32 a, F32 b) { return min(a, b); });
}

inline bool find_places(const IndexLine& line, int64_t* places) noexcept {
  return line.wide ? find_in<int64_t>(line, places) : find_in<int32_t>(line, places);
}

constexpr IndexSteps kIndexSteps = {find_places, keep_largest, keep_smallest};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
