// SPDX-License-Identifier: Apache-2.0
// Elements as bits, avx512: tests into masks.
#include "core/kernels/non_zero/bits.h"
#include "core/kernels/simd/avx512.h"

namespace anydim::avx512 {
namespace {

template <class T, bool kSigned> inline uint64_t word(const T* x) {
  uint64_t bits = 0;
  for (int i = 0; i < static_cast<int>(sizeof(T)); ++i) {
    const __m512i v = _mm512_loadu_si512(x + 64 / sizeof(T) * static_cast<unsigned>(i));
    if constexpr (sizeof(T) == 1) return _mm512_test_epi8_mask(v, v);
    else if constexpr (sizeof(T) == 2) bits |= uint64_t{_mm512_test_epi16_mask(v, _mm512_set1_epi16(kSigned ? 0x7fff : -1))} << (32 * i);
    else if constexpr (sizeof(T) == 4)
      bits |= uint64_t{_mm512_test_epi32_mask(v, _mm512_set1_epi32(kSigned ? 0x7fffffff : -1))} << (16 * i);
    else bits |= uint64_t{_mm512_test_epi64_mask(v, _mm512_set1_epi64(kSigned ? INT64_MAX : -1))} << (8 * i);
  }
  return bits;
}

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/non_zero/bits.inl.h"

namespace anydim {

constinit const BitFunctions BitFunctions::avx512 = avx512::kBitFunctions;

}  // namespace anydim
