// SPDX-License-Identifier: Apache-2.0
// Elements as bits. Sets define before it word<T, kSigned>(): the bits of 64 elements of the unsigned type T.
#pragma once

#include <type_traits>

#include "core/kernels/non_zero/bits.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// All bits that say that an element is not zero.
template <class T, bool kSigned> constexpr T kCounts = kSigned ? static_cast<T>(static_cast<T>(~T{0}) >> 1) : static_cast<T>(~T{0});

template <class T, bool kSigned> inline int64_t count_of(const void* from, int64_t n) {
  const T* x = static_cast<const T*>(from);
  int64_t total = 0, i = 0;
  for (; i + 64 <= n; i += 64) total += __builtin_popcountll(word<T, kSigned>(x + i));
  for (; i < n; ++i) total += (x[i] & kCounts<T, kSigned>) != 0;
  return total;
}

template <class T, bool kSigned> inline void mark_of(const void* from, int64_t n, uint64_t* words) {
  const T* x = static_cast<const T*>(from);
  int64_t i = 0;
  for (; i + 64 <= n; i += 64) *words++ = word<T, kSigned>(x + i);
  if (i == n) return;
  uint64_t last = 0;
  for (int64_t k = 0; i + k < n; ++k) last |= static_cast<uint64_t>((x[i + k] & kCounts<T, kSigned>) != 0) << k;
  *words = last;
}

inline int64_t count_bits(ElementBits e, const void* x, int64_t n) noexcept {
  switch (e.size) {
    case 1: return count_of<uint8_t, false>(x, n);
    case 2: return e.signed_zero ? count_of<uint16_t, true>(x, n) : count_of<uint16_t, false>(x, n);
    case 4: return e.signed_zero ? count_of<uint32_t, true>(x, n) : count_of<uint32_t, false>(x, n);
    default: return e.signed_zero ? count_of<uint64_t, true>(x, n) : count_of<uint64_t, false>(x, n);
  }
}

inline void mark_bits(ElementBits e, const void* x, int64_t n, uint64_t* words) noexcept {
  switch (e.size) {
    case 1: return mark_of<uint8_t, false>(x, n, words);
    case 2: return e.signed_zero ? mark_of<uint16_t, true>(x, n, words) : mark_of<uint16_t, false>(x, n, words);
    case 4: return e.signed_zero ? mark_of<uint32_t, true>(x, n, words) : mark_of<uint32_t, false>(x, n, words);
    default: return e.signed_zero ? mark_of<uint64_t, true>(x, n, words) : mark_of<uint64_t, false>(x, n, words);
  }
}

constexpr BitFunctions kBitFunctions = {count_bits, mark_bits};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
