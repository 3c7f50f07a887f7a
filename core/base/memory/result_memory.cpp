// SPDX-License-Identifier: Apache-2.0
// See result_memory.h. The layout of a region is that of a context's growing arena (core/base/memory/arena.cpp).
#include "core/base/memory/result_memory.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/base/checked.h"
#include "core/base/threads/fork.h"
#include "core/base/memory/pages.h"

namespace anydim {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kSmall = int64_t{1} << 20;  // bytes in small pages
constexpr int64_t kRoom = int64_t{256} << 20;

}  // namespace

ResultMemory& ResultMemory::instance() {
  static auto* const memory = new ResultMemory;  // never destroyed: results live as long as they like
  return *memory;
}

int64_t ResultMemory::lowest_gap(const Region& region, int64_t bytes) noexcept {
  int64_t begin = 0;
  for (const auto& [first, last] : region.used) {
    if (first - begin >= bytes) return begin;
    begin = last;
  }
  return region.room - begin >= bytes ? begin : -1;
}

void ResultMemory::trim(Region& region) noexcept {
  const int64_t top = region.used.empty() ? 0 : region.used.rbegin()->second;
  const int64_t keep = std::max(kSmall + round_up(std::max(top - kSmall, kKept), kHugePage), region.again);
  if (region.touched - top <= kKept || keep >= region.touched) return;
  if (!free_pages(region.data + keep, region.touched - keep)) return;
  region.freed = std::max(region.freed, region.touched);
  region.touched = keep;
}

// A result that ends there.
void ResultMemory::note(Region& region, int64_t end) noexcept {
  if (end > region.touched && end <= region.freed) region.again = std::max(region.again, end);
  region.highest = std::max(region.highest, end);
  if (++region.results < kWindow) return;
  region.again = std::min(region.again, region.highest);
  region.highest = region.results = 0;
}

ResultMemory::Region* ResultMemory::add_region(int64_t bytes) {
  std::erase_if(regions_, [](const Region& r) { return r.used.empty() && release_pages(r.data, r.room); });
  int64_t wanted = std::max(4 * bytes, kRoom);
  for (const Region& r : regions_) wanted = std::max(wanted, 2 * r.room);  // so that there are few, however much is in use
  for (const int64_t requested : {address_space_is_limited() ? bytes : wanted, bytes}) {
    const int64_t room = kSmall + round_up(std::max<int64_t>(requested - kSmall, 0), kHugePage);
    Region region;
    region.data = reserve_pages(room, kSmall);
    if (region.data == nullptr) continue;
    region.room = room;
    regions_.push_back(std::move(region));
    return &regions_.back();
  }
  return nullptr;
}

void* ResultMemory::allocate(int64_t bytes, const Parallel& parallel) noexcept {
  ForkHandlers<before_fork, after_fork, after_fork>::ensure();
  if (const MemorySourcePtr source = MemorySourceScope::current(); source) return allocate_from(source, bytes);
  void* block = bytes >= kLeast ? allocate_large(bytes, parallel) : nullptr;
  return block != nullptr ? block : std::aligned_alloc(64, static_cast<size_t>(round_up(std::max<int64_t>(bytes, 1), 64)));
}

void* ResultMemory::allocate_large(int64_t bytes, const Parallel& parallel) noexcept try {
  bytes = round_up(std::max<int64_t>(bytes, 1), kPage);
  std::byte* block = nullptr;
  std::byte* missing = nullptr;
  int64_t more = 0;
  bool huge = false;
  {
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
    if (!region) return nullptr;
    note(*region, begin + bytes);
    block = region->data + begin;
    missing = region->data + region->touched;
    if (const int64_t end = begin + bytes; end > region->touched) {
      huge = PageCosts::instance().huge(end - region->touched);
      more = end_of_pages(kSmall, end, huge) - region->touched;
      if (!allow_pages(missing, more)) return nullptr;
    }
    region->used.emplace(begin, begin + bytes);
    region->touched += more;
  }
  // Without the lock, since the threads may be the host program's. Who gets a block between here meanwhile touches it himself.
  PageUse use;
  if (more == 0 || touch_pages(missing, more, huge, parallel, &use)) return block;
  free(block);
  return nullptr;
} catch (...) {
  return nullptr;
}

void* ResultMemory::allocate_from(const MemorySourcePtr& source, int64_t bytes) noexcept {
  const int64_t size = round_up(std::max<int64_t>(bytes, 1), 64);
  void* const block = source->allocate(size, 64);
  if (block == nullptr) return nullptr;
  try {
    const std::lock_guard lock(mutex_);
    in_use_.emplace(block, InUse{source, size});
    in_use_blocks_.fetch_add(1, std::memory_order_relaxed);
    return block;
  } catch (...) {
    source->free(block, size);
    return nullptr;
  }
}

bool ResultMemory::free_to_source(void* block) noexcept {
  InUse block_info;
  {
    const std::lock_guard lock(mutex_);
    const auto found = in_use_.find(block);
    if (found == in_use_.end()) return false;
    block_info = std::move(found->second);
    in_use_.erase(found);
    in_use_blocks_.fetch_sub(1, std::memory_order_relaxed);
  }
  block_info.source->free(block, block_info.bytes);  // the host's function, and perhaps its last use
  return true;
}

ResultMemory::Shared* ResultMemory::share(void* block, int64_t holders) noexcept {
  auto* const shared = new (std::nothrow) Shared{block, {}};
  if (shared != nullptr) shared->holders.store(holders, std::memory_order_relaxed);
  return shared;
}

void ResultMemory::release(Shared* shared) noexcept {
  if (shared->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  free(shared->block);  // no part has its address any more
  delete shared;
}

bool ResultMemory::add_part(Shared* shared, void* part) noexcept try {
  const std::lock_guard lock(mutex_);
  parts_.emplace(part, shared);
  part_count_.fetch_add(1, std::memory_order_relaxed);
  return true;
} catch (...) {
  return false;
}

bool ResultMemory::free_part(void* part) noexcept {
  Shared* shared = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = parts_.find(part);
    if (found == parts_.end()) return false;
    shared = found->second;
    parts_.erase(found);
    part_count_.fetch_sub(1, std::memory_order_relaxed);
  }
  release(shared);
  return true;
}

void ResultMemory::free(void* block) noexcept {
  if (part_count_.load(std::memory_order_relaxed) > 0 && free_part(block)) return;
  if (in_use_blocks_.load(std::memory_order_relaxed) > 0 && free_to_source(block)) return;
  auto* const address = static_cast<std::byte*>(block);
  {
    const std::lock_guard lock(mutex_);
    for (Region& r : regions_)
      if (address >= r.data && address < r.data + r.room) {
        r.used.erase(address - r.data);
        // The last one is the largest, and serves what comes.
        if (r.used.empty() && &r != &regions_.back() && release_pages(r.data, r.room))
          regions_.erase(regions_.begin() + (&r - regions_.data()));
        else trim(r);
        return;
      }
  }
  std::free(block);
}

}  // namespace anydim
