// SPDX-License-Identifier: Apache-2.0
// One placement of a graph's buffers in an arena that is valid for every shape. Which of two buffers that live at the
// same time lies below the other is decided once; their offsets are then longest paths over that order, computed again
// for each shape in about a microsecond. Knows no graph: buffers are lifetimes, sizes come in as numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/checked.h"

namespace anydim {

// Steps of a run during which a buffer must keep its bytes, both inclusive.
struct BufferLifetime {
  int32_t first = 0;
  int32_t last = 0;
  bool overlaps(const BufferLifetime& other) const noexcept { return first <= other.last && other.first <= last; }
};

constexpr int64_t kBufferAlignment = 64;  // a cache line, and the alignment that kernels are promised

// Where a buffer lies in the arena: both multiples of kBufferAlignment.
struct BufferPlace {
  int64_t offset = 0, end = 0;
};

// What the memory of an engine asks of places.
struct MemoryLimits {
  int64_t alignment = kBufferAlignment;  // of offsets and ends; a power of two, and no smaller than that
  // Memory comes in slabs of so many bytes, a multiple of the alignment, and no buffer lies in two of them. kMaxSize: in one.
  int64_t slab = kMaxSize;

  bool usual() const noexcept { return alignment == kBufferAlignment && slab == kMaxSize; }
};

// Why this is sound: `place` is a longest path, so growing any size can only raise any offset. Sizes that bound every
// interior shape one by one (DimPool::interval, Kernel::scratch_bound) therefore give a total that no interior shape
// exceeds, although the sizes need not grow with the dims. Planning again per shape has no such property: greedy
// placement of smaller sizes exceeded the arena of the largest in 3 of 300 graphs (facts: Graph). A buffer that would lie in two slabs
// begins with the second: that raises an offset, too, and by no less if offset or size are larger.
class MemoryPlan {
 public:
  MemoryPlan() = default;
  // `reference_bytes` choose the order: sizes at the bounds, or at a default guess where a dim has none; never hints.
  // `stages` (none: all 0): the sizes of a stage's buffers are known only when those of the stages before have their places, so
  // none of them lies below one of those.
  MemoryPlan(std::span<const BufferLifetime> lifetimes, std::span<const int64_t> reference_bytes, std::span<const int32_t> stages = {},
             const MemoryLimits& limits = {});

  // Where each buffer lies at these sizes, and the bytes needed for all. Allocates nothing. Saturates at kMaxSize.
  int64_t place(std::span<const int64_t> bytes, std::span<BufferPlace> places) const noexcept {
    return place(0, order_.size(), bytes, places);
  }
  // The same for one stage's buffers, where those of the stages before have their places.
  int64_t place_stage(size_t stage, std::span<const int64_t> bytes, std::span<BufferPlace> places) const noexcept {
    return stage < ends_.size() ? place(stage == 0 ? 0 : ends_[stage - 1], ends_[stage], bytes, places) : 0;
  }

  int32_t buffers() const noexcept { return static_cast<int32_t>(order_.size()); }
  int32_t edges() const noexcept { return static_cast<int32_t>(below_.size()); }
  // The buffers, each behind all that lie below it; and those that the kth of them lies directly above.
  std::span<const int32_t> order() const noexcept { return order_; }
  std::span<const int32_t> below(size_t k) const noexcept {
    return std::span(below_).subspan(static_cast<size_t>(starts_[k]), static_cast<size_t>(starts_[k + 1] - starts_[k]));
  }

 private:
  // Of order_[begin..end).
  int64_t place(size_t begin, size_t end, std::span<const int64_t> bytes, std::span<BufferPlace> places) const noexcept;
  template <class Add>
  int64_t place_with(size_t begin, size_t end, std::span<const int64_t> bytes, std::span<BufferPlace> places, Add add) const noexcept;

  MemoryLimits limits_;
  std::vector<int32_t> order_;   // buffers, lowest first, stage by stage: every predecessor comes before
  std::vector<size_t> ends_;     // of each stage in order_
  std::vector<int32_t> starts_;  // order_[k]'s predecessors are below_[starts_[k] .. starts_[k + 1])
  std::vector<int32_t> below_;   // transitively reduced
};

// Most bytes alive at one step: no placement needs less. For tests and reports.
int64_t live_lower_bound(std::span<const BufferLifetime> lifetimes, std::span<const int64_t> bytes);

}  // namespace anydim
