// SPDX-License-Identifier: Apache-2.0
// Where an engine that compiles keeps the binaries of its programs between processes: what it needs of the persistent cache, which is
// a layer above. Losing all of it costs time and nothing else.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace anydim {

class KernelCache;

// It outlives what the background worker was asked to store: the process's own is never destroyed, one of a test waits for the worker.
class BinaryStore {
 public:
  struct Pair {
    std::string key, binary;
  };

  virtual ~BinaryStore() = default;
  // The binary of a key, whole and unharmed, or not_found. May read a file.
  virtual Status read(std::string_view key, std::string* binary) = 0;
  // In the file when it returns ok.
  virtual Status store(std::span<const Pair> pairs) = 0;
  // Has cache.store_binaries() called soon, on a thread that may wait for files. Never fails: what is lost is compiled again.
  virtual void store_later(const std::shared_ptr<KernelCache>& cache) noexcept = 0;
};

}  // namespace anydim
