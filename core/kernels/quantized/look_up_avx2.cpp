// SPDX-License-Identifier: Apache-2.0
// Rows of bytes through a table of 256 in AVX2, by shuffles.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/quantized/convert_rows.h"

namespace anydim::avx2 {
namespace {

// Sixteen tables of sixteen. A shuffle gives an element of a table for an index of 0 to 127, by its low bits, and 0 for a negative one: so
// tables hold what differs from the one before, and each counts for the indices at or above its own. Both halves of the indices begin at 0;
// what is negative then stays so. Tables without a difference are left out.
struct Differences {
  struct Part {
    __m128i table, first;  // the least index it counts for
  };
  Part parts[2][8];  // of each half
  int count[2] = {};
};
inline Differences differences_of(const uint8_t* table) {
  Differences d;
  for (int t = 0; t < 16; ++t) {
    const auto part = [&](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * i)); };
    const __m128i difference = t % 8 == 0 ? part(t) : _mm_xor_si128(part(t), part(t - 1));
    int& count = d.count[t / 8];
    if (_mm_testz_si128(difference, difference) == 0) d.parts[t / 8][count++] = {difference, _mm_set1_epi8(static_cast<char>(t % 8 * 16))};
  }
  return d;
}
constexpr int kLookedUp = 4;  // vectors at once
inline void look_up_vectors(const Differences& d, const uint8_t* from, uint8_t* to) {
  __m256i x[kLookedUp], y[kLookedUp];
#pragma GCC unroll 4
  for (int i = 0; i < kLookedUp; ++i) {
    x[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32 * i));
    y[i] = _mm256_setzero_si256();
  }
  for (int half = 0; half < 2; ++half) {
    for (int t = 0; t < d.count[half]; ++t) {
      const __m256i table = _mm256_broadcastsi128_si256(d.parts[half][t].table),
                    first = _mm256_broadcastsi128_si256(d.parts[half][t].first);
#pragma GCC unroll 4
      for (int i = 0; i < kLookedUp; ++i) y[i] = _mm256_xor_si256(y[i], _mm256_shuffle_epi8(table, _mm256_subs_epi8(x[i], first)));
    }
#pragma GCC unroll 4
    for (int i = 0; i < kLookedUp; ++i) x[i] = _mm256_xor_si256(x[i], _mm256_set1_epi8(static_cast<char>(0x80)));
  }
#pragma GCC unroll 4
  for (int i = 0; i < kLookedUp; ++i) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32 * i), y[i]);
}
inline void look_up_row(const uint8_t* table, const uint8_t* from, uint8_t* to, int64_t n) {
  int64_t i = 0;
  constexpr int64_t kBytes = 32 * kLookedUp;
  if (n >= kBytes / 2) {
    const Differences d = differences_of(table);
    for (; i + kBytes <= n; i += kBytes) look_up_vectors(d, from + i, to + i);
    if (n - i >= kBytes / 4) {
      uint8_t last[kBytes] = {};
      __builtin_memcpy(last, from + i, static_cast<size_t>(n - i));
      look_up_vectors(d, last, last);
      __builtin_memcpy(to + i, last, static_cast<size_t>(n - i));
      return;
    }
  }
  for (; i < n; ++i) to[i] = table[from[i]];
}

}  // namespace
}  // namespace anydim::avx2

namespace anydim {

void LookUp::avx2(const uint8_t* table, const uint8_t* from, uint8_t* to, int64_t n) noexcept { avx2::look_up_row(table, from, to, n); }

}  // namespace anydim
