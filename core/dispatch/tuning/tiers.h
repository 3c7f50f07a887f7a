// SPDX-License-Identifier: Apache-2.0
// The specialised tier on the CPU engine: an immutable table from actual dims to plan choices, behind one atomic pointer.
// A reader copies a choice out while it is counted in; a writer swaps the pointer and frees old tables when nobody is
// counted. Readers never wait, lock or allocate; both tiers give the same bits.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/threads/fork_lock.h"
#include "core/kernels/kernel.h"

namespace anydim {

// What a plan depends on among the arguments: dims of all inputs and the thread cap, hashed. Two shapes with one hash would
// share a plan choice, which costs time and never bits.
uint64_t plan_key(const Args& args) noexcept;
// The same with each dim of the first input rounded up to its bucket: four to each doubling.
uint64_t bucket_key(const Args& args) noexcept;
int64_t bucket_of(int64_t dim) noexcept;

struct TierEntry {
  uint64_t key = 0;
  PlanChoice choice;
  float gain = 1;  // time of the reusable plan divided by this one's, where it was measured
  friend bool operator==(const TierEntry&, const TierEntry&) = default;
};

// Sorted by key; at most kMostEntries, so that a table's memory has a bound.
class TierTable {
 public:
  static constexpr size_t kMostEntries = 1024;
  explicit TierTable(std::vector<TierEntry> entries);
  const TierEntry* find(uint64_t key) const noexcept;
  std::span<const TierEntry> entries() const noexcept { return entries_; }
  int64_t bytes() const noexcept { return static_cast<int64_t>(sizeof *this + entries_.capacity() * sizeof(TierEntry)); }
  // With an entry put in or replaced; in a full table some entry makes room.
  std::unique_ptr<const TierTable> with(const TierEntry& entry) const;
  // As records on disk hold it.
  std::string to_bytes() const;
  static std::unique_ptr<const TierTable> from_bytes(std::string_view bytes);

 private:
  std::vector<TierEntry> entries_;  // by key
};

class Tiers {
 public:
  Tiers() = default;
  ~Tiers();
  Tiers(const Tiers&) = delete;
  Tiers& operator=(const Tiers&) = delete;

  bool empty() const noexcept { return table_.load(std::memory_order_relaxed) == nullptr; }
  // Whether these very dims (or this bucket) have an entry: were measured, that is. An entry without numbers says that the
  // cost model's plan was the best.
  bool has(uint64_t key) const noexcept;
  // Copies the choice for these arguments, of their very dims or of their bucket.
  bool find(const Args& args, TierEntry* out) const noexcept;
  // Puts an entry in; any number of threads. Makes contexts bind again.
  void publish(const TierEntry& entry);
  void publish(std::unique_ptr<const TierTable> table);
  std::vector<TierEntry> entries() const;
  // Of its tables, those included that wait for a reader to be done.
  int64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  // Called after each publication, on its thread. Set before the tiers are shared.
  void watch(std::function<void()> changed) { changed_ = std::move(changed); }
  // Time spent measuring plans for this table.
  void add_tuning_time(int64_t nanoseconds) noexcept { tuning_ns_.fetch_add(nanoseconds, std::memory_order_relaxed); }
  int64_t tuning_nanoseconds() const noexcept { return tuning_ns_.load(std::memory_order_relaxed); }

 private:
  void swap_locked(std::unique_ptr<const TierTable> table);
  std::atomic<const TierTable*> table_{nullptr};
  mutable std::atomic<int32_t> readers_{0};
  std::atomic<int64_t> bytes_{0};
  std::atomic<int64_t> tuning_ns_{0};
  mutable ForkLock writers_;
  std::vector<std::unique_ptr<const TierTable>> retired_;  // swapped out while somebody was reading
  std::function<void()> changed_;
};

// Grows with every publication in the process: a context that bound its plans at another value binds them again.
uint32_t tier_epoch() noexcept;

}  // namespace anydim
