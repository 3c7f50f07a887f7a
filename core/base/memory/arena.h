// SPDX-License-Identifier: Apache-2.0
// The memory of one context, or of one stream: provided by the caller, or allocated from the system and touched before a run reads it,
// so that no kernel meets a page fault. A run whose shape needs more than any before it pays for what is missing and for no more than that.
//
// What pages cost decides how it grows (docs/decisions/010-growth.md, 040-pages-are-earned.md): an arena that begins small goes on in
// small pages up to kSmall, and then in huge pages where these are cheaper at the time (page_costs.h). It reserves address space for four
// times what it needs and, beyond that, moves with its pages (docs/decisions/159-address-space.md).
//
// Under a source of the host program's (memory_source.h) it is a block of that source, exchanged for a larger one when it grows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/memory/memory_source.h"
#include "core/base/memory/page_costs.h"
#include "core/base/status.h"
#include "core/base/threads/threads.h"

namespace anydim {

class Arena {
 public:
  static constexpr int64_t kSmall = int64_t{512} << 10;  // bytes in small pages
  static constexpr int64_t kStep = int64_t{32} << 10;    // of growth in them

  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Uses the caller's memory, which is not freed and never grows.
  void borrow(void* memory, int64_t size) noexcept;
  // For an arena that will not grow: `bytes` in whole pages, touched by all threads.
  Status reserve(int64_t bytes, const Parallel& parallel = Parallel{1});
  // Room for `bytes` at least, in whole steps of small pages or whole huge pages, whichever cost less. What is added is touched, by
  // all threads. It may move. Of what it held the first `keep` bytes stay; more may be lost. After an error it is no larger than it was.
  Status grow(int64_t bytes, const Parallel& parallel = Parallel{1}, int64_t keep = 0) {
    return grow(bytes, false, PageCosts::instance().huge(bytes - size_), parallel, keep);
  }
  // The same for the first shape of many that may be the largest: the end, less than a huge page, is in small pages and no larger
  // than it must be. The next growth may exchange it for a huge one.
  Status fit(int64_t bytes, const Parallel& parallel = Parallel{1}) {
    return grow(bytes, true, PageCosts::instance().huge(bytes - size_), parallel, 0);
  }
  // The same while something loads, for shapes to come.
  Status get_ahead(int64_t bytes, const Parallel& parallel = Parallel{1}) {
    return grow(bytes, true, PageCosts::instance().huge_at_load(bytes - size_), parallel, 0);
  }

  std::byte* data() const noexcept { return data_; }
  int64_t size() const noexcept { return size_; }  // bytes that may be used, all of them touched
  bool borrowed() const noexcept { return borrowed_; }
  const PageUse& pages() const noexcept { return use_; }  // got from the system until now

 private:
  Status check(int64_t bytes) const;
  Status grow(int64_t bytes, bool exact, bool huge, const Parallel& parallel, int64_t keep);
  Status make_room(int64_t size, int64_t small);
  // Exchanges the memory for a touched block of the source's.
  Status replace_from_source(int64_t bytes, int64_t keep);
  void release() noexcept;

  std::byte* data_ = nullptr;
  int64_t size_ = 0;
  int64_t room_ = 0;   // bytes of address space at data_, those beyond size_ without memory
  int64_t small_ = 0;  // of them in small pages: kSmall, or 0 where the first growth went beyond it
  bool borrowed_ = false;
  PageUse use_;
  const MemorySourcePtr source_ = MemorySourceScope::current();  // of who makes the arena
};

}  // namespace anydim
