// SPDX-License-Identifier: Apache-2.0
// Element-wise operators on dtypes other than f32, and those on f32 that give another: one function per operator and dtype that
// works on elements side by side, from one list per instruction set. Includes nothing that leaves symbols behind.
#pragma once

#include "core/ops/scalar_functions.h"
#include "core/tensor/dtype.h"

namespace anydim {

// out[i] = f(in[0][i], in[1][i], ...) for n elements. `out` may be one of the inputs if their elements have one size.
struct TypedRow {
  void* out;
  const void* in[3];
  int64_t n;
  double alpha = 0, beta = 0;  // the function's parameters
};
using TypedRowFunction = void (*)(const TypedRow&) noexcept;

// Each null where there is no such row.
struct TypedRows {
  TypedRowFunction (*unary)(UnaryFunction, DType) noexcept;  // logical_not, those of integers, is_nan and is_inf (of both signs) of floats
  TypedRowFunction (*binary)(BinaryFunction, DType) noexcept;  // of inputs of this dtype: comparisons, logic, arithmetic of integers
  TypedRowFunction (*cast)(DType from, DType to) noexcept;
  TypedRowFunction (*where)(int64_t element_bytes) noexcept;                         // in[0] is boolean
  TypedRowFunction turned;                                                           // u64 as the i64 that has their order, and back
  TypedRowFunction quotient, remainder;                                              // of i64 that u32 has, too
  void (*repeat)(void* to, const void* element, int64_t bytes, int64_t n) noexcept;  // n times one of 1, 2, 4 or 8 bytes
  static const TypedRows avx512, avx2, portable;
};

}  // namespace anydim
