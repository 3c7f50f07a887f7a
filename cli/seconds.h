// SPDX-License-Identifier: Apache-2.0
// How long something took, for the commands that show it.
#pragma once

#include <chrono>

namespace anydim_cli {

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace anydim_cli
