// SPDX-License-Identifier: Apache-2.0
// Conversions between quantized values and the real numbers that they stand for, elements side by side: one function per instruction set.
// docs/numerics.md, section 1, "Scales, zero points and the result's dtype". Includes nothing that leaves symbols behind.
#pragma once

#include <cstdint>

#include "core/ops/scalar_functions.h"
#include "core/tensor/dtype.h"

namespace anydim {

// A scale or zero point along a run: one number (step 0), or one per element (step 1). Null: there is none.
struct RowFactor {
  const float* at = nullptr;
  int64_t step = 0;
};

// n elements: real = scale * (value - zero point) of what is read, value = round(real / scale) + zero point of what is written.
struct ConvertRow {
  void* out;
  const void* in;
  int64_t n;
  RowFactor in_scale, in_zero, out_scale, out_zero;
};
using ConvertFunction = void (*)(const ConvertRow&) noexcept;

// out = f(a, b) of real numbers, each f32 or 8 bits, in rows: factors of the inputs and of the result, one each; null where not given.
// Elements of a row of an input with step 0 are one. Rows are so many elements apart. With an `addend`, of products alone, out = a * b +
// addend of real numbers, each rounded; it lies as an input does.
struct CombineRow {
  void* out;
  const void* in[2];
  int64_t step[2];
  int64_t n;
  int64_t rows, out_apart, in_apart[2];
  const float *in_scale[2], *in_zero[2], *out_scale, *out_zero;
  const float* addend;
  int64_t addend_step, addend_apart;
};
using CombineFunction = void (*)(const CombineRow&, DType a, DType b, DType out) noexcept;
struct CombineFunctions {
  using Function = CombineFunction(BinaryFunction f) noexcept;
  static Function avx512, avx2, portable;
};

// to[i] = table[from[i]]; the table has 256 entries.
struct LookUp {
  using Function = void(const uint8_t* table, const uint8_t* from, uint8_t* to, int64_t n) noexcept;
  static Function avx512_vbmi, avx2, portable;
};

// The least and the greatest of 0 and all elements of rows; both are NaN if one is. Steps in elements.
struct Extremes {
  float low = 0, high = 0;
};
struct RangeJob {
  const float* x;
  int64_t rows, columns, row_step, column_step;
};
struct RangeOfRows {
  using Function = Extremes(const RangeJob& job) noexcept;
  static Function avx512, avx2, portable;
};

// Null where there is no such row.
struct ConvertFunctions {
  using Function = ConvertFunction(DType from, DType to) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
