// SPDX-License-Identifier: Apache-2.0
// Binaries of compiled programs as records; see persistent_binaries.h.
#include "core/dispatch/persistent_binaries.h"

#include "core/dispatch/worker.h"
#include "core/engines/kernel_cache.h"

namespace anydim {

PersistentBinaries& PersistentBinaries::process() {
  static auto* const binaries = new PersistentBinaries;  // engines may outlive static objects
  return *binaries;
}

Status PersistentBinaries::read(std::string_view key, std::string* binary) {
  PersistentCache& cache = files();
  if (const PersistentCache::Value value = cache.find(RecordKind::binary, key)) {
    *binary = *value;
    return {};
  }
  return cache.read(RecordKind::binary, key, binary);
}

Status PersistentBinaries::store(std::span<const Pair> pairs) {
  std::vector<PersistentCache::Pair> records;
  records.reserve(pairs.size());
  for (const Pair& p : pairs) records.push_back({RecordKind::binary, p.key, p.binary});
  return files().store(records);
}

void PersistentBinaries::store_later(const std::shared_ptr<KernelCache>& cache) noexcept {
  static std::atomic<uint64_t> requests{0};
  try {
    Worker::instance().start();
    WorkRequest request;
    request.owner = cache;
    request.key = ++requests;  // one owner's requests with one key are served once
    request.run = [](const std::shared_ptr<const void>& owner, const WorkRequest&, const std::atomic<bool>&) -> const char* {
      auto& compiled = const_cast<KernelCache&>(*static_cast<const KernelCache*>(owner.get()));
      return compiled.store_binaries().ok() ? nullptr : "binaries of compiled programs were not stored";
    };
    if (!Worker::instance().push(std::move(request))) (void)cache->store_binaries();
  } catch (const std::exception&) {  // no memory: they are compiled again in a later process
  }
}

}  // namespace anydim
