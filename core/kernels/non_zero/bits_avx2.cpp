// SPDX-License-Identifier: Apache-2.0
// Elements as bits, avx2: the signs of comparisons with zero.
#include <type_traits>

#include "core/kernels/non_zero/bits.h"
#include "core/kernels/simd/avx2.h"

namespace anydim::avx2 {
namespace {

// Lanes of all ones where an element is zero.
template <class T, bool kSigned> inline __m256i zeros(const T* x) {
  __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
  const __m256i zero = _mm256_setzero_si256();
  if constexpr (sizeof(T) == 1) return _mm256_cmpeq_epi8(v, zero);
  if constexpr (sizeof(T) == 2) return _mm256_cmpeq_epi16(kSigned ? _mm256_slli_epi16(v, 1) : v, zero);
  if constexpr (sizeof(T) == 4) return _mm256_cmpeq_epi32(kSigned ? _mm256_slli_epi32(v, 1) : v, zero);
  if constexpr (sizeof(T) == 8) return _mm256_cmpeq_epi64(kSigned ? _mm256_slli_epi64(v, 1) : v, zero);
}

template <class T, bool kSigned> inline uint64_t word(const T* x) {
  uint64_t bits = 0;
  if constexpr (sizeof(T) == 1) {
    for (int i = 0; i < 2; ++i)
      bits |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(zeros<T, kSigned>(x + 32 * i)))) << (32 * i);
  } else if constexpr (sizeof(T) == 2) {
    for (int i = 0; i < 2; ++i) {
      const __m256i both = _mm256_packs_epi16(zeros<T, kSigned>(x + 32 * i), zeros<T, kSigned>(x + 32 * i + 16));
      const __m256i ordered = _mm256_permute4x64_epi64(both, _MM_SHUFFLE(3, 1, 2, 0));
      bits |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(ordered))) << (32 * i);
    }
  } else if constexpr (sizeof(T) == 4) {
    for (int i = 0; i < 8; ++i)
      bits |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(zeros<T, kSigned>(x + 8 * i)))))
              << (8 * i);
  } else {
    for (int i = 0; i < 16; ++i)
      bits |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(zeros<T, kSigned>(x + 4 * i)))))
              << (4 * i);
  }
  return ~bits;
}

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/non_zero/bits.inl.h"

namespace anydim {

constinit const BitFunctions BitFunctions::avx2 = avx2::kBitFunctions;

}  // namespace anydim
