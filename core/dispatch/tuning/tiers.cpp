// SPDX-License-Identifier: Apache-2.0
// Tables of plan choices and their exchange; see tiers.h.
#include "core/dispatch/tuning/tiers.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/dispatch/observe/counters.h"

namespace anydim {

namespace {

std::atomic<uint32_t> epoch{1};

constexpr uint64_t mix(uint64_t h, uint64_t v) noexcept {
  h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ (h >> 29);
}

// The first inputs are enough: those after weights and bias (of a concat, say) have no plans to choose from.
constexpr size_t kInputs = 3;

uint64_t key_of(const Args& args, bool buckets) noexcept {
  uint64_t h = buckets ? UINT64_C(0xB5) : UINT64_C(0xE8);
  for (size_t i = 0; i < args.in.size() && i < kInputs; ++i) {
    const Dims& d = args.in[i].dims;
    h = mix(h, static_cast<uint64_t>(d.rank));
    for (int a = 0; a < d.rank; ++a) h = mix(h, static_cast<uint64_t>(buckets && i == 0 ? bucket_of(d[a]) : d[a]));
  }
  return mix(h, static_cast<uint64_t>(args.parallel.threads()));
}

}  // namespace

uint64_t plan_key(const Args& args) noexcept { return key_of(args, false); }
uint64_t bucket_key(const Args& args) noexcept { return key_of(args, true); }

int64_t bucket_of(int64_t dim) noexcept {
  if (dim <= 8) return dim;
  const int shift = std::bit_width(static_cast<uint64_t>(dim - 1)) - 3;
  return ((dim - 1) >> shift << shift) + (INT64_C(1) << shift);
}

TierTable::TierTable(std::vector<TierEntry> entries) : entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(), [](const TierEntry& a, const TierEntry& b) { return a.key < b.key; });
}

const TierEntry* TierTable::find(uint64_t key) const noexcept {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), key, [](const TierEntry& e, uint64_t k) { return e.key < k; });
  return at != entries_.end() && at->key == key ? &*at : nullptr;
}

std::unique_ptr<const TierTable> TierTable::with(const TierEntry& entry) const {
  std::vector<TierEntry> all;
  all.reserve(entries_.size() + 1);  // and no more: tables are kept as they are
  all.assign(entries_.begin(), entries_.end());
  const auto same = std::find_if(all.begin(), all.end(), [&](const TierEntry& e) { return e.key == entry.key; });
  if (same != all.end()) *same = entry;
  else if (all.size() < kMostEntries) all.push_back(entry);
  else all[entry.key % all.size()] = entry;
  return std::make_unique<const TierTable>(std::move(all));
}

std::string TierTable::to_bytes() const {
  std::string bytes;
  for (const TierEntry& e : entries_) {
    char record[sizeof(e.key) + sizeof(e.choice) + sizeof(e.gain)];
    std::memcpy(record, &e.key, sizeof(e.key));
    std::memcpy(record + sizeof(e.key), &e.choice, sizeof(e.choice));
    std::memcpy(record + sizeof(e.key) + sizeof(e.choice), &e.gain, sizeof(e.gain));
    bytes.append(record, sizeof(record));
  }
  return bytes;
}

std::unique_ptr<const TierTable> TierTable::from_bytes(std::string_view bytes) {
  constexpr size_t kEach = sizeof(TierEntry::key) + sizeof(PlanChoice) + sizeof(float);
  if (bytes.empty() || bytes.size() % kEach != 0 || bytes.size() / kEach > kMostEntries) return nullptr;
  std::vector<TierEntry> all(bytes.size() / kEach);
  for (size_t i = 0; i < all.size(); ++i) {
    const char* record = bytes.data() + i * kEach;
    std::memcpy(&all[i].key, record, sizeof(all[i].key));
    std::memcpy(&all[i].choice, record + sizeof(all[i].key), sizeof(PlanChoice));
    std::memcpy(&all[i].gain, record + sizeof(all[i].key) + sizeof(PlanChoice), sizeof(float));
  }
  return std::make_unique<const TierTable>(std::move(all));
}

Tiers::~Tiers() { delete table_.load(); }

bool Tiers::has(uint64_t key) const noexcept {
  if (empty()) return false;
  readers_.fetch_add(1);
  const TierTable* table = table_.load();
  const bool found = table && table->find(key);
  readers_.fetch_sub(1);
  return found;
}

bool Tiers::find(const Args& args, TierEntry* out) const noexcept {
  if (empty()) return false;
  // Whoever counts itself in after a swap sees the new table; a writer frees an old one only when it counts nobody.
  readers_.fetch_add(1);
  const TierTable* table = table_.load();
  const TierEntry* e = nullptr;
  if (table) {
    e = table->find(plan_key(args));
    if (!e) e = table->find(bucket_key(args));
    if (e) *out = *e;
  }
  readers_.fetch_sub(1);
  return e != nullptr;
}

void Tiers::publish(const TierEntry& entry) {
  {
    const std::lock_guard lock(writers_);
    const TierTable* now = table_.load();
    swap_locked(now ? now->with(entry) : TierTable({}).with(entry));
  }
  if (changed_) changed_();
}

void Tiers::publish(std::unique_ptr<const TierTable> table) {
  {
    const std::lock_guard lock(writers_);
    swap_locked(std::move(table));
  }
  if (changed_) changed_();
}

std::vector<TierEntry> Tiers::entries() const {
  const std::lock_guard lock(writers_);
  const TierTable* now = table_.load();
  return now ? std::vector<TierEntry>(now->entries().begin(), now->entries().end()) : std::vector<TierEntry>();
}

void Tiers::swap_locked(std::unique_ptr<const TierTable> table) {
  count(Counter::tier_changes);
  int64_t bytes = table->bytes();
  if (const TierTable* old = table_.exchange(table.release())) retired_.emplace_back(old);
  if (readers_.load() == 0) retired_.clear();
  for (const auto& waiting : retired_) bytes += waiting->bytes();
  bytes_.store(bytes, std::memory_order_relaxed);
  epoch.fetch_add(1);
}

uint32_t tier_epoch() noexcept { return epoch.load(std::memory_order_relaxed); }

}  // namespace anydim
