// SPDX-License-Identifier: Apache-2.0
// Anonymous mappings that grow by mremap and are touched page by page.
#include "core/graph/arena.h"

#include <sys/mman.h>
#include <unistd.h>

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

// A mapping of `size` bytes that holds what `old` held; MAP_FAILED if there is no memory. After a failure the room is not
// unmapped: the kernel may have done so already, and another thread may have memory there by now. What is lost then is
// address space, which is why the largest sizes do without.
void* remap(void* old, size_t old_size, size_t size) noexcept {
  constexpr size_t kLeast = size_t{2} * kHugePage, kMost = size_t{1} << 36;
  void* room = size >= kLeast && size <= kMost ? aligned_room(size) : nullptr;
  constexpr int kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  return old ? mremap(old, old_size, size, room ? MREMAP_MAYMOVE | MREMAP_FIXED : MREMAP_MAYMOVE, room)
             : mmap(room, size, PROT_READ | PROT_WRITE, room ? kAnonymous | MAP_FIXED : kAnonymous, -1, 0);
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
  void* memory = remap(data_, static_cast<size_t>(size_), static_cast<size_t>(size));
  if (memory == MAP_FAILED) return error(Code::out_of_memory, "the system refused {} bytes for activations", size);
  data_ = static_cast<std::byte*>(memory);
  // A small arena in a huge page would be mostly waste.
  if (size >= 2 * kHugePage) madvise(data_, static_cast<size_t>(size), MADV_HUGEPAGE);
  for (int64_t at = size_; at < size; at += page) data_[at] = std::byte{0};
  size_ = size;
  return {};
}

}  // namespace anydim
