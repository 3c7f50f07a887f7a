// SPDX-License-Identifier: Apache-2.0
// Products of rounded rows with AVX-512 VNNI: four products of u8 and i8 a lane and instruction.
#include <cstdint>

#include "core/kernels/compressed_matmul/rounded_rows.h"
#include "core/kernels/simd/avx512.h"

namespace anydim::avx512 {
namespace {

constexpr int kTileRows = 6;

inline __m512i broadcast(const int8_t* p) {
  int32_t x;
  __builtin_memcpy(&x, p, sizeof x);
  return _mm512_set1_epi32(x);
}
template <int kBits> struct BlockSum {
  struct Parts {
    __m512i low, high;
  };
  __m512i v = _mm512_setzero_si512();
  static Parts parts(F32::Int word) {
    if constexpr (kBits == 8) return {word.v, word.v};
    const __m512i mask = _mm512_set1_epi32(0x0f0f0f0f);
    return {_mm512_and_si512(word.v, mask), _mm512_and_si512(_mm512_srli_epi32(word.v, 4), mask)};
  }
  void add(const Parts& p, const int8_t* a) {
    v = _mm512_dpbusd_epi32(v, p.low, broadcast(a));
    if constexpr (kBits == 4) v = _mm512_dpbusd_epi32(v, p.high, broadcast(a + 4));
  }
  void flush() {}
  F32::Int total() const { return {v}; }
};

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/compressed_matmul/rounded_rows.inl.h"

namespace anydim {

constinit const RoundedRows RoundedRows::avx512_vnni = {&TileEngine::avx512, avx512::kTileRows, avx512::round, avx512::tile};

}  // namespace anydim
