// SPDX-License-Identifier: Apache-2.0
// The arena of a context in the host's memory: how large it is, where the buffers and the scratch of each stage lie in it at a shape, and
// when it grows. Arenas of devices are in device_context.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/memory/arena.h"
#include "core/program/arena_plan.h"
#include "core/run/context/memory_ahead.h"

namespace anydim {

class DeviceContext;

class HostArena {
 public:
  [[gnu::cold]] HostArena(const Program& program, ArenaPlan plan, bool bounded, const Parallel& parallel);

  // Within bounds all of it; `buffer`: the caller's memory instead, or null.
  Status allocate(void* buffer, int64_t buffer_size);
  // Without bounds: room for likely shapes, but no more than a context may have that never needs it.
  Status allocate_ahead(bool small);

  // Bytes of a stage's buffers at these slots; its steps then ask for scratch, of which the largest counts that share a place.
  Status size_stage(size_t stage, std::span<const int64_t> slots);
  int64_t* scratch_bytes(size_t step) noexcept { return &bytes_[scratch_[step]]; }
  // Says that a step's scratch is that of its segment, until it has its own again (segment: -1).
  void set_segment(size_t step, size_t group, int32_t segment) noexcept;
  // Whether groups of steps may run side by side at what was sized: only then do they have places. Grows nothing.
  bool has_room_for_groups() noexcept;
  // Places for what was sized. `first`: no shape came before. Grows where it must, and waits for `devices` before it moves.
  Status place_stage(size_t stage, bool first, DeviceContext* devices, bool grouped = false);

  std::byte* data() const noexcept { return arena_.data(); }
  std::byte* scratch(size_t step) const noexcept { return arena_.data() + places_[scratch_[step]].offset; }
  // Where the buffers of a stage lie, by buffer of the program.
  void point_buffers(size_t stage, std::span<std::byte*> buffers) const noexcept;

  const ArenaPlan& plan() const noexcept { return plan_; }
  ArenaPlan& plan() noexcept { return plan_; }
  bool borrowed() const noexcept { return arena_.borrowed(); }
  int64_t bytes() const noexcept { return arena_.size(); }
  int64_t used_bytes() const noexcept { return used_bytes_; }  // at the shape bound last
  const PageUse& pages() const noexcept { return arena_.pages(); }

  int64_t growth_events = 0;

 private:
  // Bytes of a buffer of the plan.
  struct Extent {
    Dim elements;
    int64_t element = 0;  // bytes of one
  };

  const Program& program_;
  ArenaPlan plan_;
  const bool bounded_;
  Parallel parallel_;
  MemoryAhead ahead_;
  Arena arena_;
  std::vector<Extent> extents_;
  std::vector<size_t> scratch_;      // by step: the region that it uses at this shape
  std::vector<int64_t> bytes_;       // of the plan's buffers and regions of scratch, and those of groups
  std::vector<BufferPlace> places_;  // of the same
  int64_t used_bytes_ = 0;
};

}  // namespace anydim
