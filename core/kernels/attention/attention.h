// SPDX-License-Identifier: Apache-2.0
// Kernels of attention, best first, and what all of them share: which keys a query sees.
#pragma once

#include "core/kernels/kernel.h"
#include "core/kernels/reduce/axes.h"
#include "core/ops/operators/attention.h"

namespace anydim {

KernelList attention_kernels() noexcept;
const HostKernel& attention_reference() noexcept;

// The sizes of a call.
struct AttentionSizes {
  int64_t batch, heads, queries, size, key_heads, keys, value_size;
  int64_t group() const noexcept { return key_heads > 0 ? heads / key_heads : 0; }
};
AttentionSizes attention_sizes(std::span<const Dims> in) noexcept;

// Keys [begin, end) of one query; none: begin = end.
struct KeyRange {
  int64_t begin, end;
};

// Which keys the queries of a call see by their positions, as indices of the tensors; a mask may leave out more.
class KeyRanges {
 public:
  KeyRanges(const Args& args, const AttentionSizes& sizes) noexcept;
  KeyRange of(int64_t example, int64_t query) const noexcept;
  // How much is added to an index for the order of sums, where an example's first key is not the sequence's: what counts of its
  // position, since blocks of lanes are the longest and hold whole blocks of products.
  int64_t shift_of(int64_t example) const noexcept { return origin_of(example) % kLaneBlock; }

 private:
  const AttentionAttributes& at_;
  int64_t origin_of(int64_t example) const noexcept;

  const TensorView *starts_ = nullptr, *lengths_ = nullptr, *origins_ = nullptr;
  int64_t first_, keys_;
};

}  // namespace anydim
