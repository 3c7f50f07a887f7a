// SPDX-License-Identifier: Apache-2.0
// For tests only: memory that constants borrow, as a mapped model file provides it.
#pragma once

#include <cstring>
#include <numeric>
#include <vector>

#include "core/base/memory/lender.h"

namespace anydim::testing {

class Shelf final : public Lender {
 public:
  explicit Shelf(bool stays) : stays_(stays) {}
  bool stays() const noexcept override { return stays_; }
  void discard(const void*, size_t bytes) const noexcept override { discarded_bytes += static_cast<int64_t>(bytes); }
  mutable int64_t discarded_bytes = 0;

 private:
  bool stays_;
};

// Numbers from 1 at an address that is, or is not, a multiple of their size.
struct Numbers {
  explicit Numbers(int64_t count, size_t odd) : memory(static_cast<size_t>(count) * 4 + odd), at(memory.data() + odd) {
    std::vector<float> v(static_cast<size_t>(count));
    std::iota(v.begin(), v.end(), 1.f);
    std::memcpy(at, v.data(), v.size() * 4);
  }
  std::vector<std::byte> memory;
  std::byte* at;
};

}  // namespace anydim::testing
