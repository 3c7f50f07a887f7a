// SPDX-License-Identifier: Apache-2.0
// The functions that compute in binary64, one copy for each instruction set: of f32 lanes for the vectors of all families, and rows of f64.
// Includes nothing that leaves symbols behind.
#pragma once

#include "core/kernels/eltwise/typed_rows.h"
#include "core/ops/scalar_functions.h"

namespace anydim {

// In place, n a multiple of twice the doubles that a register holds (so of 16 at most).
struct LaneFunctions {
  void (*power)(float* a, const float* b, int n, bool uniform) noexcept;  // uniform: the exponents are equal
  void (*modulo)(BinaryFunction f, float* a, const float* b, int n) noexcept;
  void (*function)(UnaryFunction f, float* a, int n) noexcept;  // sin, cos, inverse and hyperbolic ones
  // f64
  TypedRowFunction (*row)(UnaryFunction f) noexcept;  // null: of others
  TypedRowFunction power_row, mod_floor_row, mod_trunc_row, log_row;
  static const LaneFunctions avx512, avx2, portable;
};

}  // namespace anydim
