// SPDX-License-Identifier: Apache-2.0
// A part of a vector to memory, in AVX2, which has no store with a mask of bytes.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace anydim::avx2 {
namespace {

// The first n of 16 bytes, at most all of them.
inline void store_half(__m128i left, int64_t n, std::byte* to) {
  if (n == 16) return _mm_storeu_si128(reinterpret_cast<__m128i*>(to), left);
  if ((n & 8) != 0) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), left);
    left = _mm_srli_si128(left, 8);
    to += 8;
  }
  auto rest = static_cast<uint64_t>(_mm_cvtsi128_si64(left));
  for (int64_t i = 0; i < (n & 7); ++i, rest >>= 8) to[i] = static_cast<std::byte>(rest);
}
// The first n of 32 bytes.
inline void store_bytes(__m256i v, int64_t n, std::byte* to) {
  if (n == 32) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v);
  const __m128i left = _mm256_castsi256_si128(v);
  if ((n & 16) == 0) return store_half(left, n, to);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), left);
  store_half(_mm256_extracti128_si256(v, 1), n & 15, to + 16);
}

}  // namespace
}  // namespace anydim::avx2
