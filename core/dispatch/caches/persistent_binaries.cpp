// SPDX-License-Identifier: Apache-2.0
// Binaries of compiled programs as records; see persistent_binaries.h.
#include "core/dispatch/caches/persistent_binaries.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "core/dispatch/tuning/worker.h"

namespace anydim {

namespace {

constexpr int kStep = 20;  // ms between two looks at whether to stop

}  // namespace

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
  constexpr int kTimeout = 1000;  // ms for other processes: a compilation takes as long, and the next one tries again
  return files().store(records, kTimeout);
}

bool PersistentBinaries::later(std::weak_ptr<const Later> work) {
  static std::atomic<uint64_t> requests{0};
  Worker& worker = Worker::instance();
  worker.start();
  WorkRequest request;
  request.owner = std::move(work);
  request.key = requests.fetch_add(1);
  request.run = [](const std::shared_ptr<const void>& owner, const WorkRequest&, const std::atomic<bool>& stop) -> const char* {
    const auto& later = *static_cast<const Later*>(owner.get());
    for (int wait = 0; wait >= 0 && !stop.load(std::memory_order_relaxed);) {
      wait = later.next();
      for (int slept = 0; slept < wait && !stop.load(std::memory_order_relaxed); slept += kStep)
        std::this_thread::sleep_for(std::chrono::milliseconds(kStep));
      if (wait == 0) Worker::instance().rest(stop);
    }
    return nullptr;
  };
  return worker.push(std::move(request));
}

}  // namespace anydim
