// SPDX-License-Identifier: Apache-2.0
// For tests only: whether an emulator of another processor runs this program (packaging/targets.toml says so). What such a program asks
// of the system about itself is about the emulator: it has threads of its own, its memory is more, and it keeps no limit of address
// space, and no resident pages. Tests that ask this cannot be answered there and say so, or leave out that one question; all others run.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace anydim::testing {

inline bool emulated() { return std::getenv("ANYDIM_EMULATED") != nullptr; }

// Milliseconds in which something surely comes that a test waits for, unless it never comes.
inline int64_t surely() { return emulated() ? 3'600'000 : 60'000; }

}  // namespace anydim::testing
