// SPDX-License-Identifier: Apache-2.0
// The maximum over windows with its index: what an instruction set does of it, 16 windows at once. Includes nothing that leaves symbols behind.
#pragma once

#include <cstdint>

namespace anydim {

constexpr int kIndexLanes = 16;

struct IndexPool {
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3];
  int64_t src_s[3], dst_s[3], index_s[3];
  int64_t place[3];  // what one element further along an axis adds to an index
};

struct IndexBest {
  int32_t key[kIndexLanes], bits[kIndexLanes];
  int64_t place[kIndexLanes];
};

// Sixteen windows that begin at (first[0], first[1]) and each at its own place along the row, in channels `from` elements from x.
struct IndexWindows {
  int64_t first[2], at[kIndexLanes], from[kIndexLanes];
  int64_t apart;  // 1 or 2: in memory, each so many elements from the one before; else 0
};

struct IndexLanes {
  using Function = void(const IndexPool& p, const int32_t* x, const IndexWindows& windows, IndexBest* best) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
