// SPDX-License-Identifier: Apache-2.0
// A table that finds rows of a dictionary by hash, in a kernel's scratch: open addressing, made again in each run that looks for more than
// the dictionary has. Where an entry lies far from its place (chosen keys, or bad luck) the table says so, and the caller searches as the
// reference does: no input makes it slow.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/base/checked.h"

namespace anydim {

class HashPlaces {
 public:
  static constexpr int64_t kMostRows = int64_t{1} << 28;
  static constexpr int64_t kMostSteps = 24;
  enum : int32_t { kNone = -1, kFar = -2 };

  static int64_t bytes(int64_t rows) noexcept {
    if (rows > kMostRows) return 0;
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(4 * std::max<int64_t>(rows, 4)))) * 4;
  }
  HashPlaces(void* scratch, int64_t rows) noexcept
      : places_(static_cast<int32_t*>(scratch)), last_(static_cast<uint64_t>(bytes(rows) / 4 - 1)) {
    std::fill_n(places_, last_ + 1, kNone);
  }

  // Rows in their order; of equal ones the first is found. False: it lies too far away.
  bool add(uint64_t hash, int64_t row) noexcept {
    uint64_t at = place_of(hash);
    for (int64_t step = 0; step < kMostSteps; ++step, at = (at + 1) & last_) {
      if (places_[at] != kNone) continue;
      places_[at] = static_cast<int32_t>(row);
      return true;
    }
    return false;
  }
  // The first row that is_it(row) accepts; kNone; or kFar, where the caller has to search.
  template <class F> int32_t find(uint64_t hash, F&& is_it) const noexcept {
    uint64_t at = place_of(hash);
    for (int64_t step = 0; step < kMostSteps; ++step, at = (at + 1) & last_) {
      const int32_t row = places_[at];
      if (row == kNone || is_it(row)) return row;
    }
    return kFar;
  }
  static uint64_t mixed(uint64_t hash, uint64_t v) noexcept {
    hash = (hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
  }

 private:
  uint64_t place_of(uint64_t hash) const noexcept { return (hash * UINT64_C(0xbf58476d1ce4e5b9) >> 32) & last_; }
  int32_t* places_;
  uint64_t last_;
};

}  // namespace anydim
