// SPDX-License-Identifier: Apache-2.0
// Kernels of attention, best first, and what all of them share: which keys a query sees.
#pragma once

#include <algorithm>

#include "core/base/checked.h"
#include "core/kernels/attention/job.h"
#include "core/kernels/kernel.h"
#include "core/kernels/reduce/axes.h"
#include "core/ops/operators/attention.h"

namespace anydim {

KernelList attention_kernels() noexcept;
const HostKernel& attention_reference() noexcept;
// Math mode reduced.
KernelList attention_reduced_kernels() noexcept;
const HostKernel& attention_reduced_reference() noexcept;
Support reduced_serves_attention(const Problem& problem) noexcept;

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

constexpr int64_t kMostAttentionRows = 60;           // of a task
constexpr int64_t kAttentionScoreFloats = 96 << 10;  // of a task, where there are more than a tile's rows

// Floats from row to row of scores. The first panel begins up to its length before a multiple of the lanes.
inline int64_t attention_score_step(int64_t keys) noexcept { return round_up(keys, kReductionLanes) + 2 * kReductionLanes; }
inline int64_t attention_rows_of_task(int64_t keys) noexcept {
  return std::clamp<int64_t>(kAttentionScoreFloats / attention_score_step(keys), kAttentionRows, kMostAttentionRows);
}

// What a job has for each of its rows; it lives as long as the job.
struct AttentionRows {
  int64_t begin[kMostAttentionRows], end[kMostAttentionRows], bias_row[kMostAttentionRows], mask_row[kMostAttentionRows];
  float sinks[kMostAttentionRows];

  // Rows [first, first + count) of the queries that read one head of keys: row i is query i / group of the group's head i % group. Sets
  // what of the job follows from attributes, biases, masks and the keys that are seen.
  void fill(const Args& args, const AttentionSizes& sizes, const KeyRanges& ranges, int64_t example, int64_t key_head, int64_t first,
            int64_t count, AttentionJob* job) noexcept;
};

}  // namespace anydim
