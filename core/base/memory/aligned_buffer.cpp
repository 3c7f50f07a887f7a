// SPDX-License-Identifier: Apache-2.0
// Aligned memory from the heap or in pages of its own; see aligned_buffer.h.
#include "core/base/memory/aligned_buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "core/base/checked.h"

namespace anydim {

void AlignedBuffer::Free::operator()(std::byte* p) const noexcept {
  switch (kind) {
    case Kind::heap: return std::free(p);
    case Kind::pages: ::munmap(p, bytes); return;
    case Kind::source: return source->free(p, static_cast<int64_t>(bytes));
    case Kind::borrowed: return;
  }
}

AlignedBuffer AlignedBuffer::borrow(std::byte* data, int64_t bytes) noexcept {
  AlignedBuffer b;
  b.data_ = {data, Free{Free::Kind::borrowed}};
  b.size_ = bytes;
  return b;
}

Result<AlignedBuffer> AlignedBuffer::allocate_from(const MemorySourcePtr& source, int64_t bytes, int64_t total) {
  void* p = source->allocate(total, kAlignment);
  if (p == nullptr) return error(Code::out_of_memory, "the host's allocate gave no {} bytes", total);
  std::memset(p, 0, static_cast<size_t>(total));
  AlignedBuffer b;
  b.data_ = {static_cast<std::byte*>(p), Free{Free::Kind::source, static_cast<size_t>(total), source}};
  b.size_ = bytes;
  return b;
}

Result<AlignedBuffer> AlignedBuffer::allocate(int64_t bytes) {
  if (bytes < 0 || bytes > kMaxSize - kTail - kAlignment) return error(Code::out_of_memory, "cannot allocate {} bytes", bytes);
  const auto total = static_cast<size_t>(round_up(bytes + kTail, kAlignment));
  if (const MemorySourcePtr source = MemorySourceScope::current(); source) return allocate_from(source, bytes, static_cast<int64_t>(total));
  void* p = std::aligned_alloc(kAlignment, total);
  if (p == nullptr) return error(Code::out_of_memory, "cannot allocate {} bytes", bytes);
  std::memset(p, 0, total);
  AlignedBuffer b;
  b.data_.reset(static_cast<std::byte*>(p));
  b.size_ = bytes;
  return b;
}

Result<AlignedBuffer> AlignedBuffer::allocate_pages(int64_t bytes) {
  constexpr int64_t kLarge = 1 << 20;
  if (bytes < kLarge || bytes > kMaxSize - kTail - kAlignment || MemorySourceScope::current()) return allocate(bytes);
  const auto total = static_cast<size_t>(bytes + kTail);
  void* p = ::mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return error(Code::out_of_memory, "cannot allocate {} bytes", bytes);
  AlignedBuffer b;
  b.data_ = {static_cast<std::byte*>(p), Free{Free::Kind::pages, total}};
  b.size_ = bytes;
  return b;
}

}  // namespace anydim
