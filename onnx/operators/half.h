// SPDX-License-Identifier: Apache-2.0
// Single binary16 and bfloat16 numbers to and from float, for constants that an importer reads or makes. (Tensors are
// converted by the cast kernels.)
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace anydim::onnx {

inline float bfloat16_to_float(uint16_t h) noexcept { return std::bit_cast<float>(static_cast<uint32_t>(h) << 16); }

inline uint16_t float_to_bfloat16(float f) noexcept {
  const auto u = std::bit_cast<uint32_t>(f);
  if ((u & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>((u >> 16) | 0x40u);  // NaN stays one
  return static_cast<uint16_t>((u + 0x7FFFu + ((u >> 16) & 1u)) >> 16);                  // nearest even
}

inline float half_to_float(uint16_t h) noexcept {
  const int sign = h >> 15, exponent = (h >> 10) & 31, fraction = h & 1023;
  float v = 0.f;
  if (exponent == 31) v = fraction != 0 ? std::bit_cast<float>(0x7FC00000u) : std::bit_cast<float>(0x7F800000u);
  else if (exponent == 0) v = std::ldexp(static_cast<float>(fraction), -24);
  else v = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return sign != 0 ? -v : v;
}

inline uint16_t float_to_half(float f) noexcept {
  const auto u = std::bit_cast<uint32_t>(f);
  const auto sign = static_cast<uint16_t>((u >> 16) & 0x8000u);
  const float a = std::fabs(f);
  if (std::isnan(f)) return static_cast<uint16_t>(sign | 0x7E00u);
  if (a >= 65520.f) return static_cast<uint16_t>(sign | 0x7C00u);  // rounds to infinity
  int exponent = 0;
  std::frexp(a, &exponent);            // a = m * 2^exponent, m in [1/2, 1)
  if (exponent < -13) exponent = -13;  // denormals share the smallest exponent
  // In units of the last place, rounded to nearest even by nearbyint; a carry moves into the exponent by itself.
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(a, 11 - exponent)));
  if (units == 0) return sign;
  return static_cast<uint16_t>(sign | (units + ((exponent + 13) << 10)));
}

}  // namespace anydim::onnx
