// SPDX-License-Identifier: Apache-2.0
// Anonymous mappings that lie so that huge pages fit; see arena.h.
#include "core/base/memory/arena.h"

#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/base/memory/aligned_buffer.h"
#include "core/base/checked.h"
#include "core/base/memory/pages.h"

namespace anydim {
namespace {

// How many times its bytes an arena reserves (decision 159).
int64_t most_room() noexcept { return address_space_is_limited() ? 1 : 4; }

Status refused(int64_t bytes) { return error(Code::out_of_memory, "the system refused {} bytes of working memory", bytes); }

}  // namespace

Arena::~Arena() {
  if (!borrowed_ && data_) release();
}

void Arena::release() noexcept {
  if (source_) source_->free(data_, room_);
  else release_pages(data_, room_);
}

void Arena::borrow(void* memory, int64_t size) noexcept {
  data_ = static_cast<std::byte*>(memory);
  size_ = size;
  borrowed_ = true;
}

Status Arena::check(int64_t bytes) const {
  if (borrowed_) return error(Code::out_of_memory, "the buffer has {} bytes; this shape needs {}", size_, bytes);
  if (bytes >= kMaxSize / 4) return error(Code::out_of_memory, "this shape needs more memory than any address space has");
  // Touching what is not there would end the process, where the system promises more than it has.
  struct sysinfo machine {};
  if (sysinfo(&machine) != 0) return {};
  const int64_t has = saturating_mul(saturating_add(static_cast<int64_t>(machine.totalram), static_cast<int64_t>(machine.totalswap)),
                                     static_cast<int64_t>(machine.mem_unit));
  if (bytes > has) return error(Code::out_of_memory, "this shape needs {} bytes of working memory; the machine has {}", bytes, has);
  return {};
}

// Exchanges the address space for more of it. Pages that are there move, and are neither copied nor touched again.
Status Arena::make_room(int64_t size, int64_t small) {
  std::byte* memory = nullptr;
  int64_t room = 0;
  for (int64_t times = size <= kSmall ? 1 : most_room(); times > 0 && memory == nullptr; times /= 2) {
    room = small + round_up(std::max<int64_t>(times * size - small, 0), kHugePage);
    memory = reserve_pages(room, small);
  }
  if (memory == nullptr) return refused(size);
  const bool moved = move_pages(data_, memory, small, size_);
  if (room_ > size_) release_pages(data_ + size_, room_ - size_);
  data_ = memory;
  room_ = room;
  small_ = small;
  if (moved) return {};
  size_ = 0;  // what it held is lost, and so is this run
  return refused(size);
}

Status Arena::replace_from_source(int64_t bytes, int64_t keep) {
  const int64_t size = round_up(bytes, bytes <= kSmall ? page_step() : kHugePage);
  auto* const memory = static_cast<std::byte*>(source_->allocate(size, AlignedBuffer::kAlignment));
  if (memory == nullptr) return error(Code::out_of_memory, "the host's allocate gave no {} bytes of working memory", size);
  // Touched, as the system's would be.
  if (keep > 0) std::memcpy(memory, data_, static_cast<size_t>(keep));
  const int64_t page = sysconf(_SC_PAGESIZE);
  for (int64_t i = round_up(keep, page); i < size; i += page) *static_cast<volatile std::byte*>(memory + i) = std::byte{0};
  if (data_) release();
  data_ = memory;
  size_ = room_ = size;
  return {};
}

Status Arena::reserve(int64_t bytes, const Parallel& parallel) {
  if (bytes <= size_) return {};
  ANYDIM_TRY(check(bytes));
  if (source_) return replace_from_source(bytes, 0);
  const int64_t size = round_up(bytes, sysconf(_SC_PAGESIZE));
  std::byte* const memory = reserve_pages(size, 0);
  if (memory == nullptr) return refused(size);
  if (!get_pages(memory, size, PageCosts::instance().huge(size), parallel, &use_)) {
    release_pages(memory, size);
    return refused(size);
  }
  if (data_) release();
  data_ = memory;
  size_ = room_ = size;
  return {};
}

Status Arena::grow(int64_t bytes, bool exact, bool huge, const Parallel& parallel, int64_t keep) {
  if (bytes <= size_) return {};
  ANYDIM_TRY(check(bytes));
  if (source_) return replace_from_source(bytes, keep);
  const int64_t small = data_ ? small_ : bytes <= kSmall ? kSmall : 0;
  const int64_t size = exact && bytes > small ? round_up(bytes, sysconf(_SC_PAGESIZE)) : end_of_pages(small, bytes, huge);
  if (size > room_) ANYDIM_TRY(make_room(size, small));
  // A huge page can only come where no small ones are. Those at the end go back first where it pays, unless something in them is to
  // be kept.
  const int64_t end = size_ > small ? (size_ - small) % kHugePage : 0, missing = kHugePage - end;
  if (huge && end > 0 && keep <= size_ - end && size >= size_ + missing && missing > PageCosts::instance().small_end()) {
    if (!free_pages(data_ + size_ - end, end)) return refused(size - size_);
    size_ -= end;
  }
  if (!get_pages(data_ + size_, size - size_, huge, parallel, &use_)) return refused(size - size_);
  size_ = size;
  return {};
}

}  // namespace anydim
