// SPDX-License-Identifier: Apache-2.0
// See result_memory.h. The layout of a region is that of a context's growing arena (core/base/arena.cpp).
#include "core/base/result_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "core/base/checked.h"
#include "core/base/fork.h"

#ifndef MADV_POPULATE_WRITE  // Linux 5.14; older systems answer EINVAL, and the array's writer touches the pages
#define MADV_POPULATE_WRITE 23
#endif

namespace anydim {
namespace {

constexpr int64_t kPage = 4096, kHugePage = int64_t{2} << 20;
constexpr int64_t kSmall = int64_t{1} << 20, kStep = int64_t{32} << 10;  // bytes in small pages, and how many are got at a time
constexpr int64_t kRoom = int64_t{1} << 30;

// How many small pages are got at a time, in bytes: kStep, or a page where pages are larger (64-bit ARM has some of 64 KB).
int64_t step() noexcept {
  static const int64_t step = std::max<int64_t>(kStep, sysconf(_SC_PAGESIZE));
  return step;
}

}  // namespace

ResultMemory& ResultMemory::instance() {
  static auto* const memory = new ResultMemory;  // never destroyed: results live as long as they like
  return *memory;
}

int64_t ResultMemory::lowest_gap(const Region& region, int64_t bytes) noexcept {
  int64_t begin = 0;
  for (const auto& [first, last] : region.taken) {
    if (first - begin >= bytes) return begin;
    begin = last;
  }
  return region.room - begin >= bytes ? begin : -1;
}

bool ResultMemory::touch(Region& region, int64_t end) noexcept {
  if (end <= region.touched) return true;
  const int64_t to = end <= kSmall ? round_up(end, step()) : kSmall + round_up(end - kSmall, kHugePage);
  std::byte* const at = region.data + region.touched;
  const auto more = static_cast<size_t>(to - region.touched);
  if (mprotect(at, more, PROT_READ | PROT_WRITE) != 0) return false;
  if (madvise(at, more, MADV_POPULATE_WRITE) != 0 && errno == ENOMEM) return false;
  region.touched = to;
  return true;
}

void ResultMemory::trim(Region& region) noexcept {
  const int64_t top = region.taken.empty() ? 0 : region.taken.rbegin()->second;
  const int64_t keep = kSmall + round_up(std::max(top - kSmall, kKept), kHugePage);
  if (region.touched - top <= kKept || keep >= region.touched) return;
  const auto rest = static_cast<size_t>(region.touched - keep);
  constexpr int kAgain = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (mmap(region.data + keep, rest, PROT_NONE, kAgain, -1, 0) == MAP_FAILED) return;
  madvise(region.data + keep, rest, MADV_HUGEPAGE);
  region.touched = keep;
}

ResultMemory::Region* ResultMemory::add_region(int64_t bytes) {
  for (const int64_t wanted : {std::max(2 * bytes, kRoom), bytes}) {
    const int64_t room = kSmall + round_up(std::max<int64_t>(wanted - kSmall, 0), kHugePage);
    // One huge page more, so that the part behind the small pages can begin where a huge page may.
    void* const mapped = mmap(nullptr, static_cast<size_t>(room + kHugePage), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) continue;
    auto* const begin = static_cast<std::byte*>(mapped);
    const auto after_small = static_cast<int64_t>((reinterpret_cast<uintptr_t>(begin) + kSmall) % static_cast<uintptr_t>(kHugePage));
    Region region;
    region.data = begin + (kHugePage - after_small) % kHugePage;
    region.room = room;
    madvise(region.data + kSmall, static_cast<size_t>(room - kSmall), MADV_HUGEPAGE);
    regions_.push_back(std::move(region));
    return &regions_.back();
  }
  return nullptr;
}

void* ResultMemory::take(int64_t bytes) noexcept {
  ForkHandlers<before_fork, after_fork, after_fork>::ensure();
  if (const MemorySourcePtr source = MemorySourceScope::current(); source) return take_from(source, bytes);
  void* block = bytes >= kLeast ? take_large(bytes) : nullptr;
  return block != nullptr ? block : std::aligned_alloc(64, static_cast<size_t>(round_up(std::max<int64_t>(bytes, 1), 64)));
}

void* ResultMemory::take_large(int64_t bytes) noexcept try {
  bytes = round_up(std::max<int64_t>(bytes, 1), kPage);
  const std::lock_guard lock(mutex_);
  Region* region = nullptr;
  int64_t begin = -1;
  for (Region& r : regions_)
    if ((begin = lowest_gap(r, bytes)) >= 0) {
      region = &r;
      break;
    }
  if (!region) {
    region = add_region(bytes);
    begin = 0;
  }
  if (!region || !touch(*region, begin + bytes)) return nullptr;
  region->taken.emplace(begin, begin + bytes);
  return region->data + begin;
} catch (...) {
  return nullptr;
}

void* ResultMemory::take_from(const MemorySourcePtr& source, int64_t bytes) noexcept {
  const int64_t size = round_up(std::max<int64_t>(bytes, 1), 64);
  void* const block = source->take(size, 64);
  if (block == nullptr) return nullptr;
  try {
    const std::lock_guard lock(mutex_);
    given_.emplace(block, Given{source, size});
    given_blocks_.fetch_add(1, std::memory_order_relaxed);
    return block;
  } catch (...) {
    source->give_back(block, size);
    return nullptr;
  }
}

bool ResultMemory::give_back_to_source(void* block) noexcept {
  Given given;
  {
    const std::lock_guard lock(mutex_);
    const auto found = given_.find(block);
    if (found == given_.end()) return false;
    given = std::move(found->second);
    given_.erase(found);
    given_blocks_.fetch_sub(1, std::memory_order_relaxed);
  }
  given.source->give_back(block, given.bytes);  // the host's function, and perhaps its last use
  return true;
}

void ResultMemory::give_back(void* block) noexcept {
  if (given_blocks_.load(std::memory_order_relaxed) > 0 && give_back_to_source(block)) return;
  auto* const address = static_cast<std::byte*>(block);
  {
    const std::lock_guard lock(mutex_);
    for (Region& r : regions_)
      if (address >= r.data && address < r.data + r.room) {
        r.taken.erase(address - r.data);
        trim(r);
        return;
      }
  }
  std::free(block);
}

}  // namespace anydim
