// SPDX-License-Identifier: Apache-2.0
// Philox 4x32-10: four random words of a counter and a key.
#pragma once

#include <cstdint>

namespace anydim {

struct PhiloxBlock {
  uint32_t word[4];
};

// The counter is (low and high half of `block`, low and high half of `stream`), the key (low and high half of `seed`).
inline PhiloxBlock philox(uint64_t block, uint64_t stream, uint64_t seed) noexcept {
  uint32_t c[4] = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), static_cast<uint32_t>(stream),
                   static_cast<uint32_t>(stream >> 32)};
  uint32_t k[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * c[0], b = uint64_t{0xCD9E8D57} * c[2];
    const uint32_t next[4] = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(b),
                              static_cast<uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(a)};
    for (int i = 0; i < 4; ++i) c[i] = next[i];
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return {{c[0], c[1], c[2], c[3]}};
}

}  // namespace anydim
