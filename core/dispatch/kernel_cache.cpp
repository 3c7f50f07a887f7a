// SPDX-License-Identifier: Apache-2.0
// Making device programs; see kernel_cache.h.
#include "core/dispatch/kernel_cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace anydim {

uint64_t KernelCache::Hash::of(std::string_view key) noexcept { return XXH3_64bits(key.data(), key.size()); }

Status KernelCache::get(const BinaryKey& key, ProgramMaker& maker, Files files, DeviceProgram* out, Source* source) {
  const std::string text = key.text();
  Source made = Source::compiled;
  CacheHit hit = CacheHit::none;
  const auto create = [&](DeviceProgram* program, int64_t* bytes) {
    ANYDIM_TRY(make(text, maker, files, program, &made));
    *bytes = program->bytes;
    return Status();
  };
  ANYDIM_TRY(entries_.get(text, create, out, &hit));
  *source = hit == CacheHit::hit ? Source::memory : hit == CacheHit::waited ? Source::waited : made;
  return {};
}

Status KernelCache::make(const std::string& key, ProgramMaker& maker, Files files, DeviceProgram* out, Source* source) {
  std::string binary;
  bool found = false;
  if (files_ != nullptr && files == Files::read) {
    found = files_->read(RecordKind::binary, key, &binary).ok();
  } else if (files_ != nullptr) {
    if (const PersistentCache::Value value = files_->find(RecordKind::binary, key)) {
      binary = *value;
      found = true;
    }
  }
  if (found) {
    if (maker.load(binary, out).ok()) {
      loaded_.fetch_add(1, std::memory_order_relaxed);
      *source = Source::binary;
      return {};
    }
    refused_.fetch_add(1, std::memory_order_relaxed);
    *out = {};
  }
  binary.clear();
  ANYDIM_TRY(maker.compile(out, &binary));
  compiled_.fetch_add(1, std::memory_order_relaxed);
  *source = Source::compiled;
  if (files_ != nullptr && !binary.empty()) keep_binary(key, std::move(binary));
  return {};
}

void KernelCache::keep_binary(const std::string& key, std::string binary) {
  const std::lock_guard lock(waiting_mutex_);
  const auto bytes = static_cast<int64_t>(binary.size());
  if (waiting_bytes_ + bytes > kMostWaiting) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  waiting_.push_back({RecordKind::binary, key, std::move(binary)});
  waiting_bytes_ += bytes;
}

Status KernelCache::store_binaries() {
  std::vector<PersistentCache::Pair> pairs;
  {
    const std::lock_guard lock(waiting_mutex_);
    pairs.swap(waiting_);
    waiting_bytes_ = 0;
  }
  return pairs.empty() ? Status() : files_->store(pairs);
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
