// SPDX-License-Identifier: Apache-2.0
// What the checks of `anydim engine-check` share.
#pragma once

#include <string>

#include "cli/commands.h"

namespace anydim_cli {

// Numbers that follow from a seed alone.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15 + 1) {}
  int64_t from(int64_t low, int64_t high) {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return low + static_cast<int64_t>((state_ >> 33) % static_cast<uint64_t>(high - low + 1));
  }

 private:
  uint64_t state_;
};

// Random graphs, whose parts the engine may claim. `kind`: the name of its kind.
std::string check_parts(anydim_engine_t engine, const std::string& kind, const EngineCheckOptions& options);

}  // namespace anydim_cli
