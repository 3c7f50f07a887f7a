// SPDX-License-Identifier: Apache-2.0
// Functions of two rows (convert_rows.h) whose quantized values stand for real ones.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/kernels/quantized/convert_rows.inl.h"

namespace anydim::ANYDIM_ISA {
namespace {

inline void read_real(const CombineRow& row, int i, DType t, int64_t r, int64_t at, int64_t n, float* __restrict real) {
  const RowFactor scale{row.in_scale[i], 0}, zero{row.in_zero[i], 0};
  const auto read = [&](const auto* x) {
    x += r * row.in_apart[i];
    if (row.step[i] == 0) {
      to_real(x, scale, zero, 1, real);
      const float one = real[0];
      for (int64_t k = 1; k < n; ++k) real[k] = one;
    } else {
      to_real(x + at, scale, zero, n, real);
    }
  };
  if (t == DType::f32) read(static_cast<const float*>(row.in[i]));
  else if (t == DType::i8) read(static_cast<const int8_t*>(row.in[i]));
  else read(static_cast<const uint8_t*>(row.in[i]));
}

// NaN if either is NaN; +0 > -0 (docs/numerics.md, section 4).
inline float larger(float a, float b) { return a != a || b != b ? a + b : a > b ? a : b > a ? b : __builtin_signbit(a) ? b : a; }
inline float smaller(float a, float b) { return a != a || b != b ? a + b : a < b ? a : b < a ? b : __builtin_signbit(a) ? a : b; }

template <BinaryFunction F> void combine_row(const CombineRow& row, DType a, DType b, DType out) noexcept {
  if (combine_vectors<F>(row, a, b, out)) return;
  alignas(64) float x[kConvertedAtOnce], y[kConvertedAtOnce];
  for (int64_t r = 0; r < row.rows; ++r)
    for (int64_t at = 0; at < row.n; at += kConvertedAtOnce) {
      const int64_t n = row.n - at < kConvertedAtOnce ? row.n - at : kConvertedAtOnce, to = r * row.out_apart + at;
      read_real(row, 0, a, r, at, n, x);
      read_real(row, 1, b, r, at, n, y);
      for (int64_t i = 0; i < n; ++i) {
        if constexpr (F == BinaryFunction::add) x[i] = x[i] + y[i];
        else if constexpr (F == BinaryFunction::sub) x[i] = x[i] - y[i];
        else if constexpr (F == BinaryFunction::mul) x[i] = x[i] * y[i];
        else if constexpr (F == BinaryFunction::div) x[i] = x[i] / y[i];
        else if constexpr (F == BinaryFunction::max) x[i] = larger(x[i], y[i]);
        else x[i] = smaller(x[i], y[i]);
      }
      if (F == BinaryFunction::mul && row.addend != nullptr) {
        const float* const addend = row.addend + r * row.addend_apart;
        for (int64_t i = 0; i < n; ++i) x[i] = x[i] + addend[(at + i) * row.addend_step];
      }
      const RowFactor scale{row.out_scale, 0}, zero{row.out_zero, 0};
      if (out == DType::f32) to_quantized(x, scale, zero, n, static_cast<float*>(row.out) + to);
      else if (out == DType::i8) to_quantized(x, scale, zero, n, static_cast<int8_t*>(row.out) + to);
      else to_quantized(x, scale, zero, n, static_cast<uint8_t*>(row.out) + to);
    }
}

inline CombineFunction combines(BinaryFunction f) noexcept {
  switch (f) {
    case BinaryFunction::add: return combine_row<BinaryFunction::add>;
    case BinaryFunction::sub: return combine_row<BinaryFunction::sub>;
    case BinaryFunction::mul: return combine_row<BinaryFunction::mul>;
    case BinaryFunction::div: return combine_row<BinaryFunction::div>;
    case BinaryFunction::max: return combine_row<BinaryFunction::max>;
    case BinaryFunction::min: return combine_row<BinaryFunction::min>;
    default: return nullptr;
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
