// SPDX-License-Identifier: Apache-2.0
// Where an engine that compiles keeps the binaries of its programs between processes: what it needs of the persistent cache, which is
// a layer above. Losing all of it costs time and nothing else.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace anydim {

// It outlives the caches of kernels that have it: the process's own is never destroyed.
class BinaryStore {
 public:
  struct Pair {
    std::string key, binary;
  };

  virtual ~BinaryStore() = default;
  // The binary of a key, whole and unharmed, or not_found. May read a file.
  virtual Status read(std::string_view key, std::string* binary) = 0;
  // In the file when it returns ok. Called by the thread that compiled, which took longer.
  virtual Status store(std::span<const Pair> pairs) = 0;
};

}  // namespace anydim
