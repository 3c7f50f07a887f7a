// SPDX-License-Identifier: Apache-2.0
// Anonymous mappings that lie so that huge pages fit; see pages.h.
#include "core/base/memory/pages.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/base/checked.h"
#include "core/base/clock.h"

#ifndef MADV_POPULATE_WRITE  // Linux 5.14; older headers lack the number, older systems answer EINVAL
#define MADV_POPULATE_WRITE 23
#endif

namespace anydim {
namespace {

// Small pages that a thread gets at a time: more of them would leave threads idle at the end, less would cost calls. Measured with
// 1 to 64 MiB on two threads: 32 KiB to 256 KiB take the same time (decision 040).
constexpr int64_t kPiece = int64_t{128} << 10;
constexpr int64_t kStep = int64_t{32} << 10;
constexpr int kNone = MAP_PRIVATE | MAP_ANONYMOUS;  // not MAP_NORESERVE: what is made usable later has to be refused if it is too much

// False if there is no memory.
bool populate(std::byte* begin, int64_t bytes) noexcept {
  if (madvise(begin, static_cast<size_t>(bytes), MADV_POPULATE_WRITE) == 0) return true;
  if (errno == ENOMEM) return false;
  const int64_t page = sysconf(_SC_PAGESIZE);
  for (int64_t i = 0; i < bytes; i += page) *static_cast<volatile std::byte*>(begin + i) = std::byte{0};
  return true;
}

// Touches [begin, begin + bytes) in small pages, or in what is already touched.
bool get_small(std::byte* begin, int64_t bytes, const Parallel& parallel) noexcept {
  std::atomic<bool> failed{false};
  parallel.run(ceil_div(bytes, kPiece), [&](int64_t task, int) {
    const int64_t from = task * kPiece, size = std::min(bytes - from, kPiece);
    const int64_t start = wall_clock();
    if (!populate(begin + from, size)) failed.store(true, std::memory_order_relaxed);
    else PageCosts::instance().noted_small(size, wall_clock() - start);
  });
  return !failed.load(std::memory_order_relaxed);
}

// Gets huge pages, as many as `count`, until one is expensive. False if there is no memory. `got`: how many; `end`: behind the last one.
struct HugePages {
  std::atomic<int64_t> got{0}, end{0};
};
bool get_huge(std::byte* begin, int64_t count, const Parallel& parallel, HugePages* pages) noexcept {
  std::atomic<bool> failed{false}, expensive{false};
  parallel.run(count, [&](int64_t task, int) {
    if (expensive.load(std::memory_order_relaxed)) return;
    const int64_t start = wall_clock();
    if (!populate(begin + task * kHugePage, kHugePage)) {
      failed.store(true, std::memory_order_relaxed);
      return;
    }
    if (!PageCosts::instance().noted_huge(wall_clock() - start)) expensive.store(true, std::memory_order_relaxed);
    pages->got.fetch_add(1, std::memory_order_relaxed);
    int64_t end = pages->end.load(std::memory_order_relaxed);
    while (end <= task && !pages->end.compare_exchange_weak(end, task + 1, std::memory_order_relaxed)) {
    }
  });
  return !failed.load(std::memory_order_relaxed);
}

}  // namespace

int64_t page_step() noexcept {
  static const int64_t step = std::max<int64_t>(kStep, sysconf(_SC_PAGESIZE));
  return step;
}

std::byte* reserve_pages(int64_t size, int64_t small) noexcept {
  // The system aligns only mappings of whole huge pages, and so the ends are cut off here.
  void* mapped = mmap(nullptr, static_cast<size_t>(size + kHugePage), PROT_NONE, kNone, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(mapped);
  const auto first = static_cast<int64_t>((reinterpret_cast<uintptr_t>(begin) + static_cast<uint64_t>(small)) % uint64_t{kHugePage});
  const int64_t cut = (kHugePage - first) % kHugePage;
  if (cut > 0) munmap(begin, static_cast<size_t>(cut));
  if (cut < kHugePage) munmap(begin + cut + size, static_cast<size_t>(kHugePage - cut));
  // Huge pages come where get_pages() says so, also where the system gives them to everybody.
  madvise(begin + cut, static_cast<size_t>(size), MADV_NOHUGEPAGE);
  return begin + cut;
}

int64_t end_of_pages(int64_t small, int64_t end, bool huge) noexcept {
  if (end <= small || !huge) return round_up(end, page_step());
  const int64_t rest = (end - small) % kHugePage, last = end - rest;
  if (rest == 0) return end;
  return rest <= PageCosts::instance().small_end() ? last + round_up(rest, page_step()) : last + kHugePage;
}

bool allow_pages(std::byte* begin, int64_t bytes) noexcept {
  return mprotect(begin, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE) == 0;
}

bool touch_pages(std::byte* begin, int64_t bytes, bool huge, const Parallel& parallel, PageUse* use) noexcept {
  const int64_t start = wall_clock();
  const auto first = static_cast<int64_t>(reinterpret_cast<uintptr_t>(begin) % uint64_t{kHugePage});
  const int64_t from = (kHugePage - first) % kHugePage;
  const int64_t count = huge && bytes >= from + kHugePage ? (bytes - from) / kHugePage : 0, to = from + count * kHugePage;
  HugePages pages;
  bool done = true;
  if (count == 0) {
    done = get_small(begin, bytes, parallel);
  } else {
    madvise(begin + from, static_cast<size_t>(to - from), MADV_HUGEPAGE);
    done = get_huge(begin + from, count, parallel, &pages);
    if (const int64_t end = pages.end.load(); done && pages.got.load() < count) {
      madvise(begin + from, static_cast<size_t>(to - from), MADV_NOHUGEPAGE);
      // One before the last that came may be missing, if its thread was late.
      done = populate(begin + from, end * kHugePage) && get_small(begin + from + end * kHugePage, (count - end) * kHugePage, parallel);
    }
    if (done && from > 0) done = get_small(begin, from, parallel);
    if (done && to < bytes) done = get_small(begin + to, bytes - to, parallel);
  }
  const int64_t huge_bytes = pages.got.load() * kHugePage;
  *use += {bytes - huge_bytes, huge_bytes, wall_clock() - start};
  return done;
}

bool get_pages(std::byte* begin, int64_t bytes, bool huge, const Parallel& parallel, PageUse* use) noexcept {
  return allow_pages(begin, bytes) && touch_pages(begin, bytes, huge, parallel, use);
}

bool release_pages(std::byte* begin, int64_t bytes) noexcept { return munmap(begin, static_cast<size_t>(bytes)) == 0; }

bool free_pages(std::byte* begin, int64_t bytes) noexcept {
  const auto size = static_cast<size_t>(bytes);
  if (mmap(begin, size, PROT_NONE, kNone | MAP_FIXED, -1, 0) == MAP_FAILED) return false;
  madvise(begin, size, MADV_NOHUGEPAGE);
  return true;
}

bool move_pages(std::byte* from, std::byte* to, int64_t small, int64_t bytes) noexcept {
  // By the huge page: older systems move no more than one mapping at once, and few mappings end within one.
  for (int64_t i = 0; i < bytes;) {
    const int64_t end = std::min(bytes, i < small ? small : i + kHugePage);
    const auto size = static_cast<size_t>(end - i);
    if (mremap(from + i, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to + i) == MAP_FAILED) {
      if (mmap(to + i, size, PROT_READ | PROT_WRITE, kNone | MAP_FIXED, -1, 0) == MAP_FAILED) {
        release_pages(from + i, bytes - i);
        return false;
      }
      std::memcpy(to + i, from + i, size);
      release_pages(from + i, end - i);
    }
    i = end;
  }
  return true;
}

bool address_space_is_limited() noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace anydim
