// SPDX-License-Identifier: Apache-2.0
// Memory that whole vectors may read past its end: packed weights, copied constants, staged tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/base/memory/memory_source.h"
#include "core/base/status.h"

namespace anydim {

// Memory aligned to a cache line, zero-filled and padded at its end so that whole vectors may be read past it. It comes from the
// thread's source (memory_source.h).
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  static Result<AlignedBuffer> allocate(int64_t bytes);
  // Memory of somebody else, aligned and padded in the same way, who keeps it for as long as this exists.
  static AlignedBuffer borrow(std::byte* data, int64_t bytes) noexcept;
  // For weights and other large things that stay: pages of its own that are touched when they are written and go back to the
  // system when they are freed. Small ones are as from allocate().
  static Result<AlignedBuffer> allocate_pages(int64_t bytes);
  static constexpr int64_t kAlignment = 64;
  static constexpr int64_t kTail = 256;  // bytes past the end that whole-vector loads and prefetches may touch
  std::byte* data() const noexcept { return data_.get(); }
  int64_t size() const noexcept { return size_; }
  template <class T> T* as() const noexcept { return reinterpret_cast<T*>(data_.get()); }

 private:
  struct Free {
    enum class Kind : uint8_t { heap, borrowed, pages, source };
    Free() noexcept : kind(Kind::heap), bytes(0) {}
    explicit Free(Kind of, size_t size = 0, MemorySourcePtr from = nullptr) noexcept : kind(of), bytes(size), source(std::move(from)) {}
    Kind kind;
    size_t bytes;  // of pages and of what a source gave
    MemorySourcePtr source;
    void operator()(std::byte* p) const noexcept;
  };
  static Result<AlignedBuffer> allocate_from(const MemorySourcePtr& source, int64_t bytes, int64_t total);

  std::unique_ptr<std::byte, Free> data_;
  int64_t size_ = 0;
};

}  // namespace anydim
