// SPDX-License-Identifier: Apache-2.0
// A concurrent cache of shared values by key: bounded in bytes, the least recently used evicted first, each value
// created once. The primitive cache is one (core/dispatch/caches/primitive_cache.h); it suits compiled device programs as well,
// whose creation takes a second and may fail.
//
// What is hard, and how it is done:
// - A key that is missing is created by the thread that asked first. Others that ask for it wait for it alone: no lock
//   is held while creating, so keys of the same shard come and go meanwhile. A failure goes to all who waited and is
//   not kept.
// - A creator may ask for further keys. A thread that is creating never waits for another's creation: it would be half
//   of a deadlock if that one asked for this caller's key. It creates a value of its own then, which is not kept. Where the
//   creators of a cache are known to ask no cache at all, waiting for them is safe for everybody else.
// - The limit is one number for all shards: room is reserved before an entry is linked, and the victim is the shard
//   whose oldest entry is the oldest of all. Each shard publishes that age, so looking for it takes no lock.
//   Eviction is O(shards), a hit O(1). Entries under creation are in no list and cannot be evicted.
// - Waiting is on an atomic, not on a condition variable, whose destructor would wait in a forked child for threads
//   that are not there.
//
// A value is dropped outside all locks; keys are compared in full, never by their hash alone.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/memory/out_of_memory.h"
#include "core/base/status.h"

namespace anydim {

// How a caller came by its value. The numbers are part of the ABI (capi/api repeats them).
enum class CacheHit : int32_t {
  none = 0,    // no cache was asked, or it is off
  miss = 1,    // created by this call
  hit = 2,     // was there
  waited = 3,  // another thread was creating it
  churn = 4,   // made over the core that shapes of one operator share (primitive_cache.h)
};
constexpr const char* cache_hit_name(CacheHit hit) noexcept {
  switch (hit) {
    case CacheHit::none: return "none";
    case CacheHit::miss: return "miss";
    case CacheHit::hit: return "hit";
    case CacheHit::waited: return "waited";
    case CacheHit::churn: return "churn";
  }
  return "unknown";
}

// Sums since the cache was made; each is monotone but for `bytes` and `entries`.
struct CacheFigures {
  int64_t hits = 0, waited = 0, misses = 0, failures = 0, evictions = 0;
  int64_t bytes = 0, entries = 0;
};

// What creators of a cache may ask for: see the second point above.
enum class CreatorsLookUp { anything, nothing };
// Creators that the thread is inside of: of any cache, and of those whose creators ask for nothing.
inline thread_local int creations_under_way = 0, last_creations_under_way = 0;

// Value: copied under a lock, so a shared pointer or two. Hash: static uint64_t of(std::string_view).
template <class Value, class Hash, CreatorsLookUp kLookUp = CreatorsLookUp::anything, int kShards = 16> class SingleFlightCache {
 public:
  explicit SingleFlightCache(int64_t limit) noexcept : limit_(limit) {}
  SingleFlightCache(const SingleFlightCache&) = delete;
  SingleFlightCache& operator=(const SingleFlightCache&) = delete;

  // The value of a key if it is there. Not counted as a miss otherwise: create() follows.
  bool find(std::string_view key, Value* out) {
    if (limit() == 0) return false;
    const uint64_t hash = Hash::of(key);
    Shard& shard = shard_of(hash);
    const std::lock_guard lock(shard.mutex);
    const auto it = shard.entries.find(Probe{hash, key});
    if (it == shard.entries.end() || !it->second.ready) return false;
    touch(shard, it->second);
    *out = it->second.value;
    return true;
  }

  // The value of a key, by `create(Value* value, int64_t* bytes) -> Status` if it is missing.
  template <class Create> Status get(std::string_view key, Create&& create, Value* out, CacheHit* how) {
    int64_t bytes = 0;
    if (limit() == 0) {
      *how = CacheHit::none;
      return guarded(create, out, &bytes);
    }
    const uint64_t hash = Hash::of(key);
    Shard& shard = shard_of(hash);
    std::shared_ptr<Flight> flight;
    bool mine = false;
    {
      const std::lock_guard lock(shard.mutex);
      const auto it = shard.entries.find(Probe{hash, key});
      if (it == shard.entries.end()) {
        flight = std::make_shared<Flight>();
        shard.entries.try_emplace(Key{hash, std::string(key)}).first->second.flight = flight;
        mine = true;
      } else if (it->second.ready) {
        touch(shard, it->second);
        *out = it->second.value;
        *how = CacheHit::hit;
        return {};
      } else {
        flight = it->second.flight;
      }
    }
    if (!mine && (kLookUp == CreatorsLookUp::nothing ? last_creations_under_way : creations_under_way) == 0) {
      flight->done.wait(0, std::memory_order_acquire);
      waited_.fetch_add(1, std::memory_order_relaxed);
      *how = CacheHit::waited;
      *out = flight->value;
      return flight->code == Code::ok ? Status() : Status(flight->code, flight->message);
    }
    *how = CacheHit::miss;
    misses_.fetch_add(1, std::memory_order_relaxed);
    Status status = guarded(create, out, &bytes);
    if (!status.ok()) failures_.fetch_add(1, std::memory_order_relaxed);
    if (mine) land(shard, Probe{hash, key}, flight, status, *out, bytes + kEntryBytes + static_cast<int64_t>(key.size()));
    return status;
  }

  // Charges a value that has grown or shrunk again. `size(value)` gives its bytes, as a creator does, or -1 if the entry of this
  // key has another value by now; it is called under the shard's lock and takes none that is ever held around a call to this
  // cache. Others are evicted to keep the limit, this one too if it is the oldest.
  template <class Size> void recharge(std::string_view key, const Size& size) {
    const Probe probe{Hash::of(key), key};
    Shard& shard = shard_of(probe.hash);
    {
      const std::lock_guard lock(shard.mutex);
      const auto it = shard.entries.find(probe);
      if (it == shard.entries.end() || !it->second.ready) return;
      const int64_t bytes = size(it->second.value);
      if (bytes < 0) return;
      const int64_t more = bytes + kEntryBytes + static_cast<int64_t>(key.size()) - it->second.bytes;
      it->second.bytes += more;
      total_.fetch_add(more, std::memory_order_relaxed);
    }
    shrink();
  }

  // Forgets all values. A creation under way is given to those who wait for it and not kept.
  void clear() {
    const uint64_t until = clock_.fetch_add(1, std::memory_order_relaxed);
    for (Shard& shard : shards_) {
      {
        const std::lock_guard lock(shard.mutex);
        for (auto& [key, e] : shard.entries) e.keep = e.keep && e.ready;
      }
      while (drop_oldest(shard, until)) {
      }
    }
  }

  // Bytes of keys and values together; 0 turns the cache off, and what it holds is dropped.
  void set_limit(int64_t bytes) {
    limit_.store(bytes, std::memory_order_relaxed);
    if (bytes == 0) clear();
    else shrink();
  }
  int64_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }

  CacheFigures figures() const noexcept {
    CacheFigures f;
    for (const Shard& s : shards_) f.hits += s.hits.load(std::memory_order_relaxed);
    f.waited = waited_.load(std::memory_order_relaxed);
    f.misses = misses_.load(std::memory_order_relaxed);
    f.failures = failures_.load(std::memory_order_relaxed);
    f.evictions = evictions_.load(std::memory_order_relaxed);
    f.bytes = total_.load(std::memory_order_relaxed);
    f.entries = entries_.load(std::memory_order_relaxed);
    return f;
  }

  // For ForkHandlers: prepare, parent, child. The child begins with an empty cache; a creation that was under way in
  // a thread of the parent has no creator there and is forgotten.
  void before_fork() {
    for (Shard& s : shards_) s.mutex.lock();
  }
  void after_fork_in_parent() {
    for (Shard& s : shards_) s.mutex.unlock();
  }
  void after_fork_in_child() {
    for (Shard& s : shards_) {
      // The parent's values are left as they are, not freed: one may be of a device whose driver is the parent's.
      std::construct_at(&s.entries);
      s.newest = s.oldest = nullptr;
      s.age.store(kNoEntry, std::memory_order_relaxed);
      s.mutex.unlock();
    }
    total_.store(0, std::memory_order_relaxed);
    entries_.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr uint64_t kNoEntry = std::numeric_limits<uint64_t>::max();

  // One creation. Written by its creator before `done`, read by those who waited for `done`.
  struct Flight {
    std::atomic<int> done{0};
    Value value{};
    Code code = Code::ok;
    std::string message;
  };

  struct Key {
    uint64_t hash;
    std::string bytes;
  };
  struct Probe {
    uint64_t hash;
    std::string_view bytes;
  };
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(const Key& k) const noexcept { return k.hash; }
    size_t operator()(const Probe& k) const noexcept { return k.hash; }
  };
  struct KeyEqual {  // the bytes decide, never the hash alone
    using is_transparent = void;
    bool operator()(const Key& a, const Key& b) const noexcept { return a.hash == b.hash && a.bytes == b.bytes; }
    bool operator()(const Probe& a, const Key& b) const noexcept { return a.hash == b.hash && a.bytes == b.bytes; }
    bool operator()(const Key& a, const Probe& b) const noexcept { return a.hash == b.hash && a.bytes == b.bytes; }
  };
  struct Entry {
    Value value{};
    std::shared_ptr<Flight> flight;  // while it is created
    bool ready = false;
    bool keep = true;  // false: cleared while it was created
    int64_t bytes = 0;
    uint64_t used = 0;         // age: the clock when it was used last
    const Key* key = nullptr;  // its own, in the map's node
    Entry *newer = nullptr, *older = nullptr;
  };
  using Map = std::unordered_map<Key, Entry, KeyHash, KeyEqual>;

  // What an entry costs besides its value and its key's bytes: the map's node with the key's string, a bucket, and
  // what malloc adds to two blocks.
  static constexpr int64_t kEntryBytes = sizeof(typename Map::value_type) + 3 * sizeof(void*) + 32;

  struct alignas(64) Shard {
    mutable std::mutex mutex;
    Map entries;
    Entry *newest = nullptr, *oldest = nullptr;
    std::atomic<uint64_t> age{kNoEntry};  // oldest->used
    std::atomic<int64_t> hits{0};         // written under the mutex
  };

  // The top bits: the map uses the low ones.
  Shard& shard_of(uint64_t hash) noexcept { return shards_[(hash >> 48) % kShards]; }

  template <class Create> static Status guarded(Create& create, Value* out, int64_t* bytes) {
    struct Depth {
      Depth() noexcept {
        ++creations_under_way;
        last_creations_under_way += kLookUp == CreatorsLookUp::nothing;
      }
      ~Depth() {
        --creations_under_way;
        last_creations_under_way -= kLookUp == CreatorsLookUp::nothing;
      }
    } const depth;
    try {
      return create(out, bytes);
    } catch (const std::bad_alloc& e) {
      return status_of(e).at("creating an entry of a cache");
    } catch (const std::exception& e) {
      return error(Code::internal, "creating an entry of a cache threw: {}", e.what());
    }
  }

  // Gives a creation to those who wait for it, and keeps it if there is room.
  void land(Shard& shard, const Probe& key, const std::shared_ptr<Flight>& flight, const Status& status, const Value& value,
            int64_t bytes) {
    flight->code = status.code();
    if (status.ok()) {
      flight->value = value;
    } else {
      try {
        flight->message = status.message();
      } catch (const std::bad_alloc&) {
        // The code says so; those who wait must not wait without end.
      }
    }
    const bool room = status.ok() && reserve(bytes);
    typename Map::node_type dropped;
    {
      const std::lock_guard lock(shard.mutex);
      const auto it = shard.entries.find(key);
      // Not there, or another's: this is a child and the parent forked while creating.
      if (it != shard.entries.end() && it->second.flight == flight) {
        Entry& e = it->second;
        if (room && e.keep && limit() > 0) {
          e.value = value;
          e.flight.reset();
          e.ready = true;
          e.bytes = bytes;
          e.key = &it->first;
          link(shard, e);
          entries_.fetch_add(1, std::memory_order_relaxed);
        } else {
          dropped = shard.entries.extract(it);
        }
      }
    }
    if (room && !dropped.empty()) total_.fetch_sub(bytes, std::memory_order_relaxed);
    flight->done.store(1, std::memory_order_release);
    flight->done.notify_all();
    shrink();  // the limit may have fallen meanwhile
  }

  // Takes `bytes` of the limit, evicting for it. False if there is no room.
  bool reserve(int64_t bytes) {
    for (;;) {
      const int64_t most = limit();
      if (bytes > most) return false;
      int64_t now = total_.load(std::memory_order_relaxed);
      while (now + bytes <= most)
        if (total_.compare_exchange_weak(now, now + bytes, std::memory_order_relaxed)) return true;
      if (!evict_oldest()) return false;  // the rest is reserved by others
    }
  }

  void shrink() {
    while (total_.load(std::memory_order_relaxed) > limit() && evict_oldest()) {
    }
  }

  bool evict_oldest() {
    for (;;) {
      Shard* victim = nullptr;
      uint64_t age = kNoEntry;
      for (Shard& s : shards_)
        if (const uint64_t a = s.age.load(std::memory_order_relaxed); a < age) age = a, victim = &s;
      if (victim == nullptr) return false;
      if (!drop_oldest(*victim, kNoEntry)) continue;  // another thread took it
      evictions_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
  }

  // Drops the shard's oldest entry if it was used before `until`.
  bool drop_oldest(Shard& shard, uint64_t until) {
    typename Map::node_type dropped;  // destroyed after the lock is released: a value may be the last owner of anything
    const std::lock_guard lock(shard.mutex);
    Entry* e = shard.oldest;
    if (e == nullptr || e->used >= until) return false;
    unlink(shard, *e);
    total_.fetch_sub(e->bytes, std::memory_order_relaxed);
    entries_.fetch_sub(1, std::memory_order_relaxed);
    dropped = shard.entries.extract(*e->key);
    return true;
  }

  // --- the list of a shard, under its mutex -------------------------------------------------------------------------
  void link(Shard& s, Entry& e) noexcept {
    e.used = clock_.fetch_add(1, std::memory_order_relaxed);
    e.newer = nullptr;
    e.older = s.newest;
    (s.newest != nullptr ? s.newest->newer : s.oldest) = &e;
    s.newest = &e;
    s.age.store(s.oldest->used, std::memory_order_relaxed);
  }
  void unlink(Shard& s, Entry& e) noexcept {
    (e.newer != nullptr ? e.newer->older : s.newest) = e.older;
    (e.older != nullptr ? e.older->newer : s.oldest) = e.newer;
    s.age.store(s.oldest != nullptr ? s.oldest->used : kNoEntry, std::memory_order_relaxed);
  }
  void touch(Shard& s, Entry& e) noexcept {
    s.hits.store(s.hits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (s.newest == &e) {
      e.used = clock_.fetch_add(1, std::memory_order_relaxed);
      if (s.oldest == &e) s.age.store(e.used, std::memory_order_relaxed);
      return;
    }
    unlink(s, e);
    link(s, e);
  }

  std::array<Shard, kShards> shards_;
  alignas(64) std::atomic<int64_t> limit_;
  alignas(64) std::atomic<uint64_t> clock_{0};
  alignas(64) std::atomic<int64_t> total_{0};
  std::atomic<int64_t> entries_{0}, waited_{0}, misses_{0}, failures_{0}, evictions_{0};
};

}  // namespace anydim
