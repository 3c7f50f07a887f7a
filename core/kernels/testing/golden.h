// SPDX-License-Identifier: Apache-2.0
// Golden bits of kernels: inputs by a formula, and the digest of results. A digest that changes is a change of every user's results.
#pragma once

#include <cstdint>
#include <cstring>
#include <iterator>

#include "core/kernels/testing/harness.h"

namespace anydim::testing {

// Numbers with 20 significant bits that no library function takes part in, and every 61st a special one.
inline void fill_by_formula(OwnedTensor& t, uint64_t seed) {
  constexpr float kSpecial[] = {0.f, -0.f, 1e-40f, -1e-40f, 3e38f, 1e-30f, 88.5f};
  t.each([&](int64_t i, std::byte* p) {
    uint64_t h = (seed << 40 | static_cast<uint64_t>(i)) + 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
    h ^= h >> 31;
    float v = static_cast<float>(static_cast<int64_t>(h >> 44) - (1 << 19)) / static_cast<float>(1 << 17);
    if (i % 61 == 60) v = kSpecial[h % std::size(kSpecial)];
    std::memcpy(p, &v, sizeof v);
  });
}
// FNV-1a of the bits in logical order.
inline uint64_t digest_of(const OwnedTensor& t) {
  uint64_t digest = 0xcbf29ce484222325u;
  t.each([&](int64_t, const std::byte* p) {
    for (int i = 0; i < 4; ++i) digest = (digest ^ std::to_integer<uint64_t>(p[i])) * 0x100000001b3u;
  });
  return digest;
}

}  // namespace anydim::testing
