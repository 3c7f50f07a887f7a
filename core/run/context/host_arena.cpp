// SPDX-License-Identifier: Apache-2.0
// Sizes and places in the host's arena; see host_arena.h.
#include "core/run/context/host_arena.h"

#include <algorithm>

#include "core/dispatch/observe/observe.h"
#include "core/run/context/device_context.h"

namespace anydim {
namespace {

// What loading the program took, in bytes: a host that counts the time of that gets no more of what it may never need
// (docs/decisions/172-memory-ahead-inside-a-host.md).
int64_t bytes_of_constants(const Program& program) {
  int64_t bytes = 0;
  for (const Program::Tensor& t : program.tensors)
    if (t.constant) bytes += t.constant->bytes();
  for (const PrimitivePtr& p : program.primitives)
    if (p->weights()) bytes += p->weights()->bytes();
  return bytes;
}

}  // namespace

HostArena::HostArena(const Program& program, ArenaPlan plan, bool bounded, const Parallel& parallel)
    : program_(program), plan_(std::move(plan)), bounded_(bounded), parallel_(parallel) {
  bytes_.assign(static_cast<size_t>((plan_.grouped ? plan_.grouped->plan : plan_.plan).buffers()), 0);
  scratch_.assign(plan_.scratch.begin(), plan_.scratch.end());
  places_.resize(bytes_.size());
  for (int32_t b : plan_.buffers)
    extents_.push_back(b < 0 ? Extent{} : Extent{program.buffer(b).elements, dtype_size(program.buffer(b).dtype)});
}

Status HostArena::allocate(void* buffer, int64_t buffer_size) {
  if (buffer == nullptr) return bounded_ ? arena_.reserve(plan_.all_bytes, parallel_) : Status();
  if (reinterpret_cast<uintptr_t>(buffer) % kBufferAlignment != 0)
    return invalid("the buffer's address is not a multiple of {}", kBufferAlignment);
  if (bounded_ && buffer_size < plan_.all_bytes)
    return invalid("the buffer has {} bytes; these bounds need {}", buffer_size, plan_.all_bytes);
  if (!bounded_ && !program_.controls.empty())
    return unimplemented("a buffer without bounds is not supported for a model with branches or loops, whose memory grows apart");
  arena_.borrow(buffer, buffer_size);
  return {};
}

Status HostArena::allocate_ahead(bool small) {
  constexpr int64_t kLarger = 8;  // shapes are often larger than the guess, which is one for all dims
  int64_t wanted = saturating_mul(plan_.bytes, kLarger);
  if (parallel_.of_host()) wanted = std::min(wanted, std::max(MemoryAhead::kOfHost, bytes_of_constants(program_)));
  return arena_.get_ahead(small ? std::min(plan_.bytes, Arena::kSmall) : ahead_.grant(wanted), parallel_);
}

Status HostArena::size_stage(size_t stage, std::span<const int64_t> slots) {
  const ArenaPlan::Entries& entries = plan_.stages[stage];
  for (size_t i = entries.first; i < entries.scratch; ++i) {
    const int64_t n = value_of(extents_[i].elements, slots);
    if (n < 0)
      return error(Code::out_of_memory, "a tensor of {} elements is larger than any address space",
                   program_.dims.text(extents_[i].elements));
    bytes_[i] = saturating_mul(n, extents_[i].element);
  }
  const auto last = plan_.grouped ? bytes_.end() : bytes_.begin() + static_cast<std::ptrdiff_t>(entries.last);
  std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(entries.scratch), last, 0);
  return {};
}

void HostArena::set_segment(size_t step, size_t group, int32_t segment) noexcept {
  scratch_[step] = segment < 0 ? static_cast<size_t>(plan_.scratch[step]) : plan_.grouped->scratch[group] + static_cast<size_t>(segment);
}

bool HostArena::has_room_for_groups() noexcept {
  int64_t room = plan_.bytes;
  if (!bounded_)
    room = arena_.borrowed() ? arena_.size() : std::max(arena_.size(), plan_.plan.place(bytes_, places_) + GroupedArena::kRoom);
  return plan_.grouped->plan.place(bytes_, places_) <= room;
}

Status HostArena::place_stage(size_t stage, bool first, DeviceContext* devices, bool grouped) {
  const int64_t before = arena_.size(), live = stage == 0 ? 0 : std::min(used_bytes_, before);
  used_bytes_ = std::max(live, (grouped ? plan_.grouped->plan : plan_.plan).place_stage(stage, bytes_, places_));
  if (const int64_t room = bounded_ ? plan_.bytes : before; used_bytes_ <= room) return {};
  if (bounded_) return error(Code::internal, "this shape needs {} bytes, more than the {} that were bounded", used_bytes_, plan_.bytes);
  if (devices != nullptr && stage > 0) ANYDIM_TRY(devices->finish());  // transfers know where it is
  // Many contexts meet one shape only, or the largest one first.
  ANYDIM_TRY(first && stage == 0 ? arena_.fit(used_bytes_, parallel_) : arena_.grow(used_bytes_, parallel_, live));
  ++growth_events;
  if (observe::wants(observe::kTrace)) observe::grew("a context", before, arena_.size());
  return {};
}

void HostArena::point_buffers(size_t stage, std::span<std::byte*> buffers) const noexcept {
  const ArenaPlan::Entries& entries = plan_.stages[stage];
  for (size_t i = entries.first; i < entries.scratch; ++i)
    buffers[static_cast<size_t>(plan_.buffers[i])] = arena_.data() + places_[i].offset;
}

}  // namespace anydim
