// SPDX-License-Identifier: Apache-2.0
// Elements of the narrow dtypes as numbers, and numbers as such elements: docs/numerics.md, section 7.
#pragma once

#include <cstdint>

#include "core/ops/generated/enums.h"
#include "core/tensor/dtype.h"

namespace anydim {

// Exact: every element of a narrow dtype is a binary32 number.
float narrow_to_float(DType t, uint8_t element) noexcept;

// How numbers become elements of 8-bit floats; see Cast.
struct NarrowRules {
  bool overflows = false;
  PowerRounding rounding = PowerRounding::up;
};
uint8_t float_to_narrow(DType t, double x, const NarrowRules& rules) noexcept;
// The lowest bits of a whole number; a float becomes the whole number first. For i4, u4, i2, u2.
uint8_t integer_to_narrow(DType t, int64_t x) noexcept;
constexpr bool narrow_is_integer(DType t) noexcept { return t >= DType::i4 && t <= DType::u2; }

}  // namespace anydim
