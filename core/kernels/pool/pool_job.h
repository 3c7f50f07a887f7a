// SPDX-License-Identifier: Apache-2.0
// One pooling as plain numbers: what the driver (pool.cpp) hands to the vector bodies of each instruction set.
#pragma once

#include <cstdint>

namespace anydim {

constexpr int64_t kPoolBlock = 64;  // taps of one chain (docs/numerics.md sections 2 and 5)

struct PoolJob {
  const float* src = nullptr;
  float* dst = nullptr;
  int64_t channels = 0;
  int64_t src_n = 0, src_c = 0, src_s[3] = {};  // strides in elements
  int64_t dst_n = 0, dst_c = 0, dst_s[3] = {};
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad_begin[3], pad_end[3];
  bool average = false, include_pad = false;
  bool pixels = false;                            // vectors of a row's output pixels instead of channels
  int64_t channel_block = 0, channel_blocks = 0;  // a task is one output row of one block of channels
};

// task = (n * out[0] + d) * out[1] + h, times channel_blocks, plus the block.
struct PoolTask {
  using Function = void(const PoolJob& job, int64_t task) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
