// SPDX-License-Identifier: Apache-2.0
// Memory for results that a caller takes without saying where to put them. From the C library a large one of a new size would come
// as a fresh mapping of small pages, at 0.4 to 0.9 ms for each MB: more than the run of many a model. A smaller one often lies at the
// end of its heap, which it gives to the system each time it is freed: then every call pays for the same pages again. Here blocks are
// cut from one long stretch of address space, the lowest that is free first, so that a larger result pays only for what no earlier one
// touched, and beyond the first megabyte in huge pages where these are cheaper (page_costs.h). Blocks that come back are used again; of
// what is free behind the last one the system gets all but kKept bytes, unless a later result needed such pages again (the logits of one
// prompt and the next): then as many stay until kWindow results needed fewer.
//
// Under a source of the host program's (memory_source.h) a result is a block of that source, whatever its size.
//
// Any thread may call. It outlives every session: who has a result keeps it as long as he likes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/base/memory/memory_source.h"
#include "core/base/threads/threads.h"

namespace anydim {

class ResultMemory {
 public:
  static constexpr int64_t kLeast = int64_t{16} << 10;  // smaller results are the C library's business
  static constexpr int64_t kKept = int64_t{64} << 20;   // free bytes beyond the last block that are not given to the system
  static constexpr int64_t kWindow = 1024;              // results

  // The process's one.
  static ResultMemory& instance();

  // `bytes` that nobody else has, aligned to 64, with the bytes of some earlier result or anything. Null if there is no memory.
  // `parallel`: who gets pages that are missing.
  void* allocate(int64_t bytes, const Parallel& parallel = Parallel{1}) noexcept;
  void free(void* block) noexcept;

  // A block of which several have a part: it goes back with the last holder.
  struct Shared {
    void* block;
    std::atomic<int64_t> holders;
  };
  // Null if there is no memory; the block stays the caller's then.
  static Shared* share(void* block, int64_t holders) noexcept;
  // A holder who needs it no more.
  void release(Shared* shared) noexcept;
  // From now on `part`, an address in the block that no other holder has, is what a holder frees. False if there is no memory.
  bool add_part(Shared* shared, void* part) noexcept;

 private:
  struct Region {
    std::byte* data = nullptr;
    int64_t room = 0;                  // bytes of address space
    int64_t touched = 0;               // bytes from the start that have memory, or get it now
    int64_t freed = 0;                 // end of what the system got back
    int64_t again = 0;                 // end of what results needed after that, which stays
    int64_t highest = 0, results = 0;  // of this window: the highest end, and how many
    std::map<int64_t, int64_t> used;   // begin -> end of blocks
  };
  static int64_t lowest_gap(const Region& region, int64_t bytes) noexcept;
  static void trim(Region& region) noexcept;
  static void note(Region& region, int64_t end) noexcept;
  Region* add_region(int64_t bytes);

  void* allocate_large(int64_t bytes, const Parallel& parallel) noexcept;
  void* allocate_from(const MemorySourcePtr& source, int64_t bytes) noexcept;
  bool free_to_source(void* block) noexcept;
  bool free_part(void* part) noexcept;
  static void before_fork() noexcept { instance().mutex_.lock(); }
  static void after_fork() noexcept { instance().mutex_.unlock(); }

  std::mutex mutex_;
  std::vector<Region> regions_;
  struct InUse {
    MemorySourcePtr source;
    int64_t bytes;
  };
  std::map<void*, InUse> in_use_;          // by sources
  std::atomic<int64_t> in_use_blocks_{0};  // as many
  std::unordered_map<void*, Shared*> parts_;
  std::atomic<int64_t> part_count_{0};  // as many
};

}  // namespace anydim
