// SPDX-License-Identifier: Apache-2.0
// Dtypes as C++ types, for operators that read or make numbers instead of moving bits.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/tensor/dims.h"

namespace anydim {

// Calls f(T()) with the C++ type of a dtype that has one.
template <class F> void with_type(DType t, F&& f) noexcept {
  switch (t) {
    case DType::f32: return f(float());
    case DType::f64: return f(double());
    case DType::i8: return f(int8_t());
    case DType::u8:
    case DType::boolean: return f(uint8_t());
    case DType::i16: return f(int16_t());
    case DType::u16: return f(uint16_t());
    case DType::i32: return f(int32_t());
    case DType::u32: return f(uint32_t());
    case DType::i64: return f(int64_t());
    case DType::u64: return f(uint64_t());
    default: return;  // refused by supports()
  }
}
// The same for bits: the unsigned type of so many bytes.
template <class F> void with_bits(int64_t size, F&& f) noexcept {
  switch (size) {
    case 1: return f(uint8_t());
    case 2: return f(uint16_t());
    case 4: return f(uint32_t());
    default: return f(uint64_t());
  }
}

// 1 in the bits of a dtype, 16-bit floats too.
inline uint64_t one_bits(DType t) noexcept {
  if (t == DType::f16) return 0x3C00;
  if (t == DType::bf16) return 0x3F80;
  uint64_t bits = 0;
  with_type(t, [&](auto zero) {
    const auto one = static_cast<decltype(zero)>(1);
    std::memcpy(&bits, &one, sizeof(one));
  });
  return bits;
}

// A number as an integer: truncated, and INT64_MIN for what no index can be.
template <class T> int64_t integer_of(T x) noexcept {
  if constexpr (std::is_floating_point_v<T>) return x > T(-9e18) && x < T(9e18) ? static_cast<int64_t>(x) : INT64_MIN;
  else if constexpr (std::is_same_v<T, uint64_t>) return x <= uint64_t{INT64_MAX} ? static_cast<int64_t>(x) : INT64_MIN;
  else return static_cast<int64_t>(x);
}

}  // namespace anydim
