// SPDX-License-Identifier: Apache-2.0
// Anonymous mappings that grow by mremap and are touched page by page.
#include "core/graph/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include "core/base/checked.h"

namespace anydim {
namespace {
constexpr int64_t kHugePage = int64_t{2} << 20;
}

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
  void* memory = data_ ? mremap(data_, static_cast<size_t>(size_), static_cast<size_t>(size), MREMAP_MAYMOVE)
                       : mmap(nullptr, static_cast<size_t>(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return error(Code::out_of_memory, "the system refused {} bytes for activations", size);
  data_ = static_cast<std::byte*>(memory);
  // A small arena in a huge page would be mostly waste.
  if (size >= 2 * kHugePage) madvise(data_, static_cast<size_t>(size), MADV_HUGEPAGE);
  for (int64_t at = size_; at < size; at += page) data_[at] = std::byte{0};
  size_ = size;
  return {};
}

}  // namespace anydim
