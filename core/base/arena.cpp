// SPDX-License-Identifier: Apache-2.0
// Anonymous mappings that lie so that huge pages fit; see arena.h.
#include "core/base/arena.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/base/aligned_buffer.h"
#include "core/base/checked.h"

#ifndef MADV_POPULATE_WRITE  // Linux 5.14; older headers lack the number, older systems answer EINVAL
#define MADV_POPULATE_WRITE 23
#endif

namespace anydim {
namespace {

constexpr int64_t kHugePage = Arena::kHugePage;
constexpr int64_t kMuchRoom = int64_t{1} << 30;

// Of growth in small pages, in bytes: kStep, or a page where pages are larger (64-bit ARM has some of 64 KB).
int64_t step() noexcept {
  static const int64_t step = std::max<int64_t>(Arena::kStep, sysconf(_SC_PAGESIZE));
  return step;
}

Status refused(int64_t bytes) { return error(Code::out_of_memory, "the system refused {} bytes of working memory", bytes); }

// Address space without memory, `size` bytes that begin `before` bytes before a place where a huge page may begin. Null if there is
// none. The system aligns only mappings of whole huge pages, and so the ends are cut off here.
std::byte* address_space(int64_t size, int64_t before) noexcept {
  constexpr int kNone = MAP_PRIVATE | MAP_ANONYMOUS;  // not MAP_NORESERVE: what is made usable later shall be refused if it is too much
  const int64_t all = size + kHugePage;
  void* mapped = mmap(nullptr, static_cast<size_t>(all), PROT_NONE, kNone, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(mapped);
  const int64_t cut = (kHugePage - static_cast<int64_t>((reinterpret_cast<uintptr_t>(begin) + static_cast<uint64_t>(before)) %
                                                        static_cast<uint64_t>(kHugePage))) %
                      kHugePage;
  if (cut > 0) munmap(begin, static_cast<size_t>(cut));
  if (cut < kHugePage) munmap(begin + cut + size, static_cast<size_t>(kHugePage - cut));
  return begin + cut;
}

// Makes [begin, begin + bytes) usable and touches it, a huge page at a time on whichever thread is free.
bool touch(std::byte* begin, int64_t bytes, const Parallel& parallel) noexcept {
  if (mprotect(begin, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE) != 0) return false;
  const int64_t page = sysconf(_SC_PAGESIZE);
  const auto first = static_cast<int64_t>(reinterpret_cast<uintptr_t>(begin) % static_cast<uintptr_t>(kHugePage));
  std::atomic<bool> failed{false};
  parallel.run(ceil_div(first + bytes, kHugePage), [&](int64_t task, int) {
    const int64_t from = std::max<int64_t>(0, task * kHugePage - first), to = std::min(bytes, (task + 1) * kHugePage - first);
    if (madvise(begin + from, static_cast<size_t>(to - from), MADV_POPULATE_WRITE) == 0) return;
    if (errno == ENOMEM) failed.store(true, std::memory_order_relaxed);
    else
      for (int64_t i = from; i < to; i += page) *static_cast<volatile std::byte*>(begin + i) = std::byte{0};
  });
  return !failed.load(std::memory_order_relaxed);
}

// Gives memory back and keeps the address space.
bool renew(std::byte* begin, int64_t bytes) noexcept {
  const auto size = static_cast<size_t>(bytes);
  if (mmap(begin, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) return false;
  madvise(begin, size, MADV_HUGEPAGE);
  return true;
}

}  // namespace

Arena::~Arena() {
  if (!borrowed_ && data_) give_back();
}

void Arena::give_back() noexcept {
  if (source_) source_->give_back(data_, room_);
  else munmap(data_, static_cast<size_t>(room_));
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

Status Arena::take(std::byte* memory, int64_t size, int64_t room, const Parallel& parallel, int64_t keep) {
  if (!memory) return refused(size);
  if (!touch(memory, size, parallel)) {
    munmap(memory, static_cast<size_t>(room));
    return refused(size);
  }
  if (keep > 0) std::memcpy(memory, data_, static_cast<size_t>(keep));
  if (data_) give_back();
  data_ = memory;
  size_ = size;
  room_ = room;
  return {};
}

Status Arena::take_from_source(int64_t bytes, int64_t keep) {
  const int64_t size = round_up(bytes, bytes <= kSmall ? step() : kHugePage);
  auto* const memory = static_cast<std::byte*>(source_->take(size, AlignedBuffer::kAlignment));
  if (memory == nullptr) return error(Code::out_of_memory, "the host's allocate gave no {} bytes of working memory", size);
  // Touched, as the system's would be.
  if (keep > 0) std::memcpy(memory, data_, static_cast<size_t>(keep));
  const int64_t page = sysconf(_SC_PAGESIZE);
  for (int64_t i = round_up(keep, page); i < size; i += page) *static_cast<volatile std::byte*>(memory + i) = std::byte{0};
  if (data_) give_back();
  data_ = memory;
  size_ = room_ = size;
  return {};
}

Status Arena::reserve(int64_t bytes, const Parallel& parallel) {
  if (bytes <= size_) return {};
  ANYDIM_TRY(check(bytes));
  if (source_) return take_from_source(bytes, 0);
  const int64_t size = round_up(bytes, sysconf(_SC_PAGESIZE));
  std::byte* const memory = address_space(size, 0);
  if (memory && size >= kHugePage) madvise(memory, static_cast<size_t>(size), MADV_HUGEPAGE);
  return take(memory, size, size, parallel);
}

Status Arena::fit(int64_t bytes, const Parallel& parallel) { return grow(bytes, sysconf(_SC_PAGESIZE), parallel, 0); }

Status Arena::grow(int64_t bytes, int64_t page, const Parallel& parallel, int64_t keep) {
  if (bytes <= size_) return {};
  ANYDIM_TRY(check(bytes));
  if (source_) return take_from_source(bytes, keep);
  const int64_t small = data_ ? small_ : bytes <= kSmall ? kSmall : 0;
  const int64_t size = bytes <= small ? round_up(bytes, step()) : small + round_up(bytes - small, page);
  if (size <= room_) {
    // A huge page can only come where no small ones are: those at the end go back first, unless something in them is to be kept.
    if (const int64_t end = size_ > small ? (size_ - small) % kHugePage : 0; end > 0 && keep <= size_ - end) {
      if (!renew(data_ + size_ - end, end)) return refused(size - size_);
      size_ -= end;
    }
    if (!touch(data_ + size_, size - size_, parallel)) return refused(size - size_);
    size_ = size;
    return {};
  }
  // Address space costs nothing where it is not limited. There is so much of it that an arena hardly ever moves: then all of its
  // pages are new.
  std::byte* memory = nullptr;
  int64_t room = 0;
  for (const int64_t wanted : {std::max(4 * size, kMuchRoom), 2 * size, size}) {
    room = small + round_up(std::max<int64_t>(wanted - small, 0), kHugePage);
    memory = address_space(room, small);
    if (memory) break;
  }
  if (memory && room > small) madvise(memory + small, static_cast<size_t>(room - small), MADV_HUGEPAGE);
  ANYDIM_TRY(take(memory, size, room, parallel, keep));
  small_ = small;
  return {};
}

}  // namespace anydim
