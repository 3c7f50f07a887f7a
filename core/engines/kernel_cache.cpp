// SPDX-License-Identifier: Apache-2.0
// Making device programs; see kernel_cache.h.
#include "core/engines/kernel_cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/base/clock.h"
#include "core/base/text/key_text.h"

namespace anydim {

uint64_t KernelCache::Hash::of(std::string_view key) noexcept { return XXH3_64bits(key.data(), key.size()); }

std::string BinaryKey::text() const {
  return KeyText("binary")
      .add("source", source)
      .add("engine", engine)
      .add("device", device)
      .add("driver", driver)
      .add("options", options)
      .add("kernel", kernel)
      .take();
}

KernelCache::Totals& KernelCache::totals() noexcept {
  static constinit Totals totals;
  return totals;
}

namespace {

// Adds the time of a scope.
class Timed {
 public:
  explicit Timed(std::atomic<int64_t>& to) noexcept : to_(to) {}
  ~Timed() { to_.fetch_add(wall_clock() - begun_, std::memory_order_relaxed); }

 private:
  std::atomic<int64_t>& to_;
  const int64_t begun_ = wall_clock();
};

}  // namespace

Status KernelCache::get(std::string_view key, ProgramMaker& maker, DeviceProgram* out, Source* source) {
  Source made = Source::compiled;
  CacheHit hit = CacheHit::none;
  const auto create = [&](DeviceProgram* program, int64_t* bytes) {
    ANYDIM_TRY(make(maker, program, &made));
    *bytes = program->bytes;
    return Status();
  };
  ANYDIM_TRY(entries_.get(key, create, out, &hit));
  *source = hit == CacheHit::hit ? Source::memory : hit == CacheHit::waited ? Source::waited : made;
  return {};
}

Status KernelCache::make(ProgramMaker& maker, DeviceProgram* out, Source* source) {
  std::string key, binary;
  if (store_ != nullptr) key = maker.binary_key().text();
  if (store_ != nullptr && store_->read(key, &binary).ok()) {
    const auto loads = [&] {
      const Timed timed(totals().load_nanoseconds);
      return maker.load(binary, out).ok();
    };
    if (loads()) {
      loaded_.fetch_add(1, std::memory_order_relaxed);
      totals().loaded.fetch_add(1, std::memory_order_relaxed);
      *source = Source::binary;
      return {};
    }
    refused_.fetch_add(1, std::memory_order_relaxed);
    totals().refused.fetch_add(1, std::memory_order_relaxed);
    *out = {};
  }
  binary.clear();
  {
    const Timed timed(of_ == Of::shapes ? totals().compile_nanoseconds : totals().specialise_nanoseconds);
    ANYDIM_TRY(maker.compile(out, &binary));
  }
  compiled_.fetch_add(1, std::memory_order_relaxed);
  (of_ == Of::shapes ? totals().compiled : totals().specialised).fetch_add(1, std::memory_order_relaxed);
  *source = Source::compiled;
  if (store_ != nullptr && !binary.empty()) keep_binary(std::move(key), std::move(binary));
  return {};
}

void KernelCache::keep_binary(std::string key, std::string binary) {
  {
    const std::lock_guard lock(waiting_mutex_);
    const auto bytes = static_cast<int64_t>(binary.size());
    if (waiting_bytes_ + bytes > kMostWaiting) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    waiting_.push_back({std::move(key), std::move(binary)});
    waiting_bytes_ += bytes;
  }
  (void)store_binaries();  // the store says what failed; the next compilation tries again
}

Status KernelCache::store_binaries() {
  std::vector<BinaryStore::Pair> pairs;
  {
    const std::lock_guard lock(waiting_mutex_);
    pairs.swap(waiting_);
    waiting_bytes_ = 0;
  }
  if (pairs.empty()) return {};
  Status stored = store_->store(pairs);
  if (!stored.ok()) {
    const std::lock_guard lock(waiting_mutex_);
    for (BinaryStore::Pair& p : pairs) {
      waiting_bytes_ += static_cast<int64_t>(p.binary.size());
      waiting_.push_back(std::move(p));
    }
  }
  return stored;
}

KernelCache::Statistics KernelCache::statistics() const {
  Statistics s;
  s.programs = entries_.figures();
  s.compiled = compiled_.load(std::memory_order_relaxed);
  s.loaded = loaded_.load(std::memory_order_relaxed);
  s.refused = refused_.load(std::memory_order_relaxed);
  s.dropped = dropped_.load(std::memory_order_relaxed);
  const std::lock_guard lock(waiting_mutex_);
  s.waiting_bytes = waiting_bytes_;
  return s;
}

void KernelCache::before_fork() {
  waiting_mutex_.lock();
  entries_.before_fork();
}

void KernelCache::after_fork_in_parent() {
  entries_.after_fork_in_parent();
  waiting_mutex_.unlock();
}

void KernelCache::after_fork_in_child() {
  entries_.after_fork_in_child();
  waiting_.clear();
  waiting_bytes_ = 0;
  waiting_mutex_.unlock();
}

}  // namespace anydim
