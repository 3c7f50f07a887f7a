// SPDX-License-Identifier: Apache-2.0
// Mapping of buffers; see memory.h.
#include "core/engines/opencl/memory.h"

#include <algorithm>
#include <atomic>

namespace anydim::opencl {

namespace {

// Numbers that no process has mapped, each once: x86-64 and aarch64 have no addresses up there.
uintptr_t next_address(int64_t bytes) noexcept {
  static std::atomic<uintptr_t> next{uintptr_t{1} << 61};
  constexpr uintptr_t kPage = 4096;
  return next.fetch_add((static_cast<uintptr_t>(std::max<int64_t>(bytes, 1)) + 2 * kPage - 1) / kPage * kPage);
}

}  // namespace

OpenclMemory::OpenclMemory(std::shared_ptr<const OpenclEngine> engine, OwnedMem buffer, int64_t bytes)
    : Memory(engine, next_address(bytes), bytes), device_(std::move(engine)), buffer_(std::move(buffer)) {}

Status OpenclMemory::map(int64_t offset, int64_t bytes, std::byte** out) {
  ANYDIM_TRY(device_->usable());
  if (offset < 0 || bytes < 0 || bytes > this->bytes() - offset)
    return invalid("{} bytes at {} were to be mapped; the memory has {}", bytes, offset, this->bytes());
  ANYDIM_TRY(device_->finish_all());
  void* view = nullptr;
  {
    const std::lock_guard lock(device_->own_queue_mutex());
    // No buffer is empty, and no part that is mapped.
    Int code = cl::kSuccess;
    EventId event = nullptr;
    view = device_->api().enqueue_map_buffer(device_->own_queue(), id(), cl::kFalse, cl::kMapRead | cl::kMapWrite,
                                             static_cast<size_t>(bytes > 0 ? offset : 0), static_cast<size_t>(std::max<int64_t>(bytes, 1)),
                                             0, nullptr, &event, &code);
    ANYDIM_TRY(finish_command(device_->api(), code, event, "mapping memory"));
  }
  const std::lock_guard lock(mutex_);
  mapped_.push_back({offset, bytes, view});
  *out = static_cast<std::byte*>(view);
  return {};
}

Status OpenclMemory::unmap(int64_t offset, int64_t bytes) {
  ANYDIM_TRY(device_->usable());
  void* view = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(mapped_.begin(), mapped_.end(), [&](const Mapped& m) { return m.offset == offset && m.bytes == bytes; });
    if (found == mapped_.end()) return invalid("{} bytes at {} are not mapped", bytes, offset);
    view = found->view;
    mapped_.erase(found);
  }
  const std::lock_guard lock(device_->own_queue_mutex());
  const Int code = device_->api().enqueue_unmap_mem_object(device_->own_queue(), id(), view, 0, nullptr, nullptr);
  if (code != cl::kSuccess) return failure(code, "unmapping memory");
  return finish_queue(device_->api(), device_->own_queue());
}

}  // namespace anydim::opencl
