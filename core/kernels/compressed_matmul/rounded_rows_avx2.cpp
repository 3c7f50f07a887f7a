// SPDX-License-Identifier: Apache-2.0
// Products of rounded rows with AVX2: pairs of products in 16 bits, which hold eight of a half byte and 8 bits. A byte is its two halves.
#include <cstdint>

#include "core/kernels/compressed_matmul/rounded_rows.h"
#include "core/kernels/simd/avx2.h"

namespace anydim::avx2 {
namespace {

constexpr int kTileRows = 2;

inline __m256i broadcast(const int8_t* p) {
  int32_t x;
  __builtin_memcpy(&x, p, sizeof x);
  return _mm256_set1_epi32(x);
}
template <int kBits> struct BlockSum {
  struct Parts {
    __m256i low, high;
  };
  __m256i v = _mm256_setzero_si256(), low = _mm256_setzero_si256(), high = _mm256_setzero_si256();
  static Parts parts(F32::Int word) {
    const __m256i mask = _mm256_set1_epi32(0x0f0f0f0f);
    return {_mm256_and_si256(word.v, mask), _mm256_and_si256(_mm256_srli_epi32(word.v, 4), mask)};
  }
  void add(const Parts& p, const int8_t* a) {
    const __m256i first = broadcast(a), second = kBits == 4 ? broadcast(a + 4) : first;
    low = _mm256_add_epi16(low, _mm256_maddubs_epi16(p.low, first));
    (kBits == 4 ? low : high) = _mm256_add_epi16(kBits == 4 ? low : high, _mm256_maddubs_epi16(p.high, second));
  }
  void flush() {
    v = _mm256_add_epi32(v, _mm256_madd_epi16(low, _mm256_set1_epi16(1)));
    low = _mm256_setzero_si256();
    if constexpr (kBits == 4) return;
    v = _mm256_add_epi32(v, _mm256_madd_epi16(high, _mm256_set1_epi16(16)));
    high = _mm256_setzero_si256();
  }
  F32::Int total() const { return {v}; }
};

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/compressed_matmul/rounded_rows.inl.h"

namespace anydim {

constinit const RoundedRows RoundedRows::avx2 = {&TileEngine::avx2, avx2::kTileRows, avx2::round, avx2::tile};

}  // namespace anydim
