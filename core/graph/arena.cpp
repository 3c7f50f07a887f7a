// SPDX-License-Identifier: Apache-2.0
// Anonymous mappings, aligned to huge pages, that are touched page by page.
#include "core/graph/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/checked.h"

namespace anydim {
namespace {

constexpr int64_t kHugePage = int64_t{2} << 20;

// Address space of `size` bytes that begins where a huge page may: the system aligns only mappings of whole huge pages, and
// page tables move in whole huge pages only between addresses aligned alike. Null if there is none.
void* aligned_room(size_t size) noexcept {
  const size_t huge = static_cast<size_t>(kHugePage);
  void* room = mmap(nullptr, size + huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(room);
  const size_t before = (huge - reinterpret_cast<uintptr_t>(begin) % huge) % huge;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + size, huge - before);
  return begin + before;
}

// A mapping of `size` bytes; MAP_FAILED if there is no memory. After a failure the room is not unmapped: the kernel may have
// done so already, and another thread may have memory there by now. What is lost then is address space, which is why the
// largest sizes do without.
void* remap(void* old, size_t old_size, size_t size) noexcept {
  constexpr size_t kLeast = static_cast<size_t>(kHugePage), kMost = size_t{1} << 36;
  void* room = size >= kLeast && size <= kMost ? aligned_room(size) : nullptr;
  // Pages that are touched already are kept if they may be huge ones: small ones would keep their surroundings small, too.
  if (old_size >= kLeast) return mremap(old, old_size, size, room ? MREMAP_MAYMOVE | MREMAP_FIXED : MREMAP_MAYMOVE, room);
  constexpr int kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  void* memory = mmap(room, size, PROT_READ | PROT_WRITE, room ? kAnonymous | MAP_FIXED : kAnonymous, -1, 0);
  if (memory != MAP_FAILED && old) munmap(old, old_size);
  return memory;
}

}  // namespace

Arena::~Arena() {
  if (!borrowed_ && data_) munmap(data_, static_cast<size_t>(size_));
}

void Arena::borrow(void* memory, int64_t size) noexcept {
  data_ = static_cast<std::byte*>(memory);
  size_ = size;
  borrowed_ = true;
}

Status Arena::reserve(int64_t bytes) {
  if (bytes <= size_) return {};
  if (borrowed_) return error(Code::out_of_memory, "the buffer has {} bytes; this shape needs {}", size_, bytes);
  if (bytes >= kMaxSize) return error(Code::out_of_memory, "this shape needs more memory than any address space has");
  const int64_t page = sysconf(_SC_PAGESIZE);
  const int64_t size = round_up(bytes, page);
  const int64_t kept = size_ >= kHugePage ? size_ : 0;
  void* memory = remap(data_, static_cast<size_t>(size_), static_cast<size_t>(size));
  if (memory == MAP_FAILED) return error(Code::out_of_memory, "the system refused {} bytes for activations", size);
  data_ = static_cast<std::byte*>(memory);
  if (size >= kHugePage) madvise(data_, static_cast<size_t>(size), MADV_HUGEPAGE);
  for (int64_t at = kept; at < size; at += page) data_[at] = std::byte{0};
  size_ = size;
  return {};
}

Status Arena::grow(int64_t bytes) {
  if (bytes <= size_ || borrowed_ || bytes >= kMaxSize) return reserve(bytes);
  const int64_t room = size_ == 0 ? bytes : std::max(bytes, size_ + std::max(size_ / 2, kHugePage));
  return reserve(room < kHugePage ? room : round_up(room, kHugePage));
}

}  // namespace anydim
