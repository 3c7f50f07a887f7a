// SPDX-License-Identifier: Apache-2.0
// Binaries of compiled programs as records; see persistent_binaries.h.
#include "core/dispatch/caches/persistent_binaries.h"

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
  constexpr int kTimeout = 1000;  // ms for other processes: a compilation takes as long, and the next one tries again
  return files().store(records, kTimeout);
}

}  // namespace anydim
