// SPDX-License-Identifier: Apache-2.0
// Where an engine that compiles keeps the binaries of its programs between processes: what it needs of the persistent cache, which is
// a layer above. Losing all of it costs time and nothing else.
#pragma once

#include <atomic>
#include <memory>
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

  // Work that can wait: binaries that a driver takes long to give.
  class Later {
   public:
    virtual ~Later() = default;
    // Does a piece. 0: there is more; more than 0: there may be in so many milliseconds; less: there is nothing left.
    virtual int next() const = 0;
  };

  virtual ~BinaryStore() = default;
  // The binary of a key, whole and unharmed, or not_found. May read a file.
  virtual Status read(std::string_view key, std::string* binary) = 0;
  // In the file when it returns ok. Called by the thread that compiled, which took longer.
  virtual Status store(std::span<const Pair> pairs) = 0;
  // Does all of it soon on a thread of the lowest priority, unless its owner is gone by then. False: there is no such thread.
  virtual bool later(std::weak_ptr<const Later> /*work*/) { return false; }
};

}  // namespace anydim
