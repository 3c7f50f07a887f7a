// SPDX-License-Identifier: Apache-2.0
// Scalar conversions between binary32 and the 16-bit floats, by integer steps, to nearest even, denormals kept. A NaN stays a NaN and
// becomes quiet. In an unnamed namespace: files of every instruction set have them.
#pragma once

#include <bit>
#include <cstdint>

namespace anydim {
namespace {

inline float f16_to_f32(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff;
  if (exponent == 31) return __builtin_bit_cast(float, sign | 0x7f800000u | fraction << 13 | (fraction ? 0x400000u : 0u));
  if (exponent != 0) return __builtin_bit_cast(float, sign | (exponent + 112) << 23 | fraction << 13);
  // Zero or denormal: fraction * 2^-24 is exact.
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, magnitude) | sign);
}

inline uint16_t f32_to_f16(float x) {
  const uint32_t b = __builtin_bit_cast(uint32_t, x), magnitude = b & 0x7fffffffu;
  const auto sign = static_cast<uint16_t>(b >> 16 & 0x8000u);
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65536 and above
  if (magnitude < 0x38800000u) {
    // Below 2^-14: adding 1/2 rounds the value to a multiple of 2^-24 in the sum's last place.
    const float shifted = __builtin_bit_cast(float, magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (__builtin_bit_cast(uint32_t, shifted) - 0x3f000000u));
  }
  const uint32_t odd = magnitude >> 13 & 1;  // carries into the exponent, and to infinity, by themselves
  return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

inline float bf16_to_f32(uint16_t h) { return __builtin_bit_cast(float, static_cast<uint32_t>(h) << 16); }

inline uint16_t f32_to_bf16(float x) {
  const uint32_t b = __builtin_bit_cast(uint32_t, x);
  if ((b & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(b >> 16 | 0x40u);
  return static_cast<uint16_t>((b + 0x7fffu + (b >> 16 & 1)) >> 16);
}

// Elements in memory, for reference kernels: they read as f32 and round when they are written.
struct StoredF16 {
  uint16_t bits;
  operator float() const { return f16_to_f32(bits); }
  StoredF16& operator=(float x) {
    bits = f32_to_f16(x);
    return *this;
  }
};
struct StoredBF16 {
  uint16_t bits;
  operator float() const { return bf16_to_f32(bits); }
  StoredBF16& operator=(float x) {
    bits = f32_to_bf16(x);
    return *this;
  }
};

}  // namespace
}  // namespace anydim
