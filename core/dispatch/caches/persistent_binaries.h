// SPDX-License-Identifier: Apache-2.0
// The persistent cache as the place where engines keep compiled programs between processes.
#pragma once

#include "core/dispatch/caches/persistent_cache.h"
#include "core/engines/binary_store.h"

namespace anydim {

class PersistentBinaries final : public BinaryStore {
 public:
  // Null: the process's cache, a forked child's its own.
  explicit PersistentBinaries(PersistentCache* files = nullptr) : files_(files) {}
  // For engines: over the process's cache, never destroyed.
  static PersistentBinaries& process();

  Status read(std::string_view key, std::string* binary) override;
  Status store(std::span<const Pair> pairs) override;
  // By the background worker.
  bool later(std::weak_ptr<const Later> work) override;

 private:
  PersistentCache& files() const { return files_ != nullptr ? *files_ : persistent_cache(); }
  PersistentCache* const files_;
};

}  // namespace anydim
