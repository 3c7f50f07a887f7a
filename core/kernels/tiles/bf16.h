// SPDX-License-Identifier: Apache-2.0
// The arithmetic of math mode `reduced` one number at a time (docs/numerics.md, section 1): operands that become bf16, and operations
// in binary32 that flush denormals. And which layers are computed so. For the reference, the portable engine and packing.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace anydim {

// Products are summed in blocks of so many, each in two chains.
constexpr int64_t kReducedBlock = 32;
constexpr int64_t reduced_k(int64_t k) noexcept { return (k + kReducedBlock - 1) / kReducedBlock * kReducedBlock; }

// Below these a layer gains nothing and is computed as in mode `strict`: products of a sum, sums of a row, and for convolutions input
// channels of a group.
constexpr int64_t kLeastReducedK = 64, kLeastReducedColumns = 32, kLeastReducedChannels = 16;

// x as bf16, in the upper half of a word: nearest even; a denormal becomes a zero of its sign, a NaN stays one.
constexpr uint32_t bf16_word(float x) noexcept {
  const uint32_t word = std::bit_cast<uint32_t>(x), magnitude = word & 0x7fffffffu;
  const uint32_t rounded = word + 0x7fffu + (word >> 16 & 1);
  return (magnitude > 0x7f800000u ? word | 0x00400000u : magnitude < 0x00800000u ? word & 0x80000000u : rounded) & 0xffff0000u;
}
constexpr uint16_t bf16_bits(float x) noexcept { return static_cast<uint16_t>(bf16_word(x) >> 16); }
constexpr float as_bf16(float x) noexcept { return std::bit_cast<float>(bf16_word(x)); }

namespace detail {
// `rounded` is `exact` in binary32. Whether it is flushed is decided as x86 does: by its size after a rounding whose exponent has no end.
// `exact` is exact in binary64 wherever that is in question.
inline float flush(float rounded, double exact) noexcept {
  constexpr float kLeastNormal = 0x1p-126f;
  if (!(std::fabs(rounded) <= kLeastNormal)) return rounded;
  return std::fabs(exact) < 0x1p-126 * (1 - 0x1p-25) ? std::copysign(0.f, rounded) : rounded;
}
}  // namespace detail

// a and b are normal numbers of bf16, zeros, infinities or NaN.
inline float flushed_fma(float a, float b, float c) noexcept {
  return detail::flush(std::fma(a, b, c), static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
}
inline float flushed_sum(float a, float b) noexcept { return detail::flush(a + b, static_cast<double>(a) + static_cast<double>(b)); }

}  // namespace anydim
