// SPDX-License-Identifier: Apache-2.0
// Element types of tensors. The numbers are part of the ABI (capi/api repeats them).
#pragma once

#include <cstdint>

namespace anydim {

enum class DType : int32_t {
  none = 0,
  f32 = 1,
  f64 = 2,
  f16 = 3,
  bf16 = 4,
  i8 = 5,
  u8 = 6,
  i16 = 7,
  u16 = 8,
  i32 = 9,
  u32 = 10,
  i64 = 11,
  u64 = 12,
  boolean = 13,  // one byte, 0 or 1
  // Narrow dtypes: stored, moved and cast, never computed with. One element lies in one byte, in its low bits; the others are 0.
  f8e4m3fn = 14,
  f8e4m3fnuz = 15,
  f8e5m2 = 16,
  f8e5m2fnuz = 17,
  f8e8m0 = 18,
  f4e2m1 = 19,
  i4 = 20,
  u4 = 21,
  i2 = 22,
  u2 = 23,
};
constexpr int32_t kLastDType = 23;

constexpr bool dtype_is_narrow(DType t) noexcept { return t >= DType::f8e4m3fn && t <= DType::u2; }
// Bits of a narrow dtype's element.
constexpr int narrow_bits(DType t) noexcept {
  return t == DType::i2 || t == DType::u2 ? 2 : t == DType::i4 || t == DType::u4 || t == DType::f4e2m1 ? 4 : 8;
}

// Bytes of one element; 0 for `none`.
constexpr int64_t dtype_size(DType t) noexcept {
  switch (t) {
    case DType::f64:
    case DType::i64:
    case DType::u64: return 8;
    case DType::f32:
    case DType::i32:
    case DType::u32: return 4;
    case DType::f16:
    case DType::bf16:
    case DType::i16:
    case DType::u16: return 2;
    case DType::i8:
    case DType::u8:
    case DType::boolean: return 1;
    default: return dtype_is_narrow(t) ? 1 : 0;
  }
}

constexpr const char* dtype_name(DType t) noexcept {
  switch (t) {
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::i8: return "i8";
    case DType::u8: return "u8";
    case DType::i16: return "i16";
    case DType::u16: return "u16";
    case DType::i32: return "i32";
    case DType::u32: return "u32";
    case DType::i64: return "i64";
    case DType::u64: return "u64";
    case DType::boolean: return "bool";
    case DType::f8e4m3fn: return "f8e4m3fn";
    case DType::f8e4m3fnuz: return "f8e4m3fnuz";
    case DType::f8e5m2: return "f8e5m2";
    case DType::f8e5m2fnuz: return "f8e5m2fnuz";
    case DType::f8e8m0: return "f8e8m0";
    case DType::f4e2m1: return "f4e2m1";
    case DType::i4: return "i4";
    case DType::u4: return "u4";
    case DType::i2: return "i2";
    case DType::u2: return "u2";
    case DType::none: break;
  }
  return "none";
}

constexpr bool dtype_is_half(DType t) noexcept { return t == DType::f16 || t == DType::bf16; }  // the 16-bit floats
constexpr bool dtype_is_float(DType t) noexcept { return t == DType::f32 || t == DType::f64 || t == DType::f16 || t == DType::bf16; }

}  // namespace anydim
