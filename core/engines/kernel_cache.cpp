// SPDX-License-Identifier: Apache-2.0
// Making device programs; see kernel_cache.h.
#include "core/engines/kernel_cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/base/clock.h"
#include "core/base/text/format.h"
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

class UnderWay {
 public:
  UnderWay(std::atomic<int>& count, std::atomic<int64_t>& ended) noexcept : count_(count), ended_(ended) { count_.fetch_add(1); }
  ~UnderWay() {
    ended_.store(wall_clock(), std::memory_order_release);
    count_.fetch_sub(1);
  }

 private:
  std::atomic<int>& count_;
  std::atomic<int64_t>& ended_;
};

std::atomic<void (*)(const std::string&)> announcer{nullptr};

// The compilations of a start: those that follow one another within kPause. A line after kFirst of them, then one every kEvery.
constexpr int64_t kSecond = INT64_C(1000000000), kPause = 5 * kSecond, kFirst = kSecond, kEvery = 5 * kSecond;
struct Burst {
  std::mutex mutex;
  int64_t nanoseconds = 0, last = 0, told = 0, count = 0;  // of compilations; when the last one ended; nanoseconds at the last line
};

void announce_compilation() {
  auto* const announce = announcer.load(std::memory_order_acquire);
  if (announce == nullptr) return;
  static auto* const burst = new Burst;
  static std::atomic<int64_t> seen{0};
  const int64_t now = wall_clock(), whole = KernelCache::totals().compile_nanoseconds.load(std::memory_order_relaxed);
  const std::lock_guard lock(burst->mutex);
  const int64_t took = whole - seen.exchange(whole);
  if (now - took - burst->last > kPause) burst->nanoseconds = burst->told = burst->count = 0;
  burst->last = now;
  burst->nanoseconds += took;
  ++burst->count;
  if (burst->nanoseconds < burst->told + (burst->told == 0 ? kFirst : kEvery)) return;
  burst->told = burst->nanoseconds;
  announce(
      formatted("{} programs of a device were compiled in {:.1f} s so far", burst->count, static_cast<double>(burst->nanoseconds) / 1e9));
}

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
    const UnderWay under_way(compiling_, last_compiled_);
    ANYDIM_TRY(maker.compile(out, &binary));
  }
  if (of_ == Of::shapes) announce_compilation();
  compiled_.fetch_add(1, std::memory_order_relaxed);
  (of_ == Of::shapes ? totals().compiled : totals().specialised).fetch_add(1, std::memory_order_relaxed);
  *source = Source::compiled;
  if (store_ == nullptr) return {};
  if (!binary.empty()) {
    keep_binary(std::move(key), std::move(binary));
  } else if (ProgramMaker::LateBinary ask = maker.late_binary(*out)) {
    const std::lock_guard lock(waiting_mutex_);
    late_.push_back({std::move(key), std::move(ask)});
  }
  return {};
}

size_t KernelCache::late_binaries() const {
  const std::lock_guard lock(waiting_mutex_);
  return late_.size();
}

bool KernelCache::store_late_binary() {
  Late late;
  {
    const std::lock_guard lock(waiting_mutex_);
    if (late_.empty()) return false;
    late = std::move(late_.front());
    late_.pop_front();
  }
  if (std::string binary = late.ask(); !binary.empty()) keep_binary(std::move(late.key), std::move(binary));
  return true;
}

int64_t KernelCache::idle_nanoseconds() const noexcept {
  return compiling_.load(std::memory_order_acquire) > 0 ? 0 : wall_clock() - last_compiled_.load(std::memory_order_acquire);
}

void KernelCache::announce_to(void (*announce)(const std::string& line)) noexcept { announcer.store(announce, std::memory_order_release); }

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
  if (stored.ok()) totals().stored.fetch_add(static_cast<int64_t>(pairs.size()), std::memory_order_relaxed);
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
  late_.clear();
  waiting_bytes_ = 0;
  waiting_mutex_.unlock();
}

}  // namespace anydim
