// SPDX-License-Identifier: Apache-2.0
// Functions of two rows of quantized values in vectors: sums, differences, products and quotients. The set's columns stand before it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/quantized/vectors.inl.h"

namespace anydim::ANYDIM_ISA {
namespace {

// All rows of sums, differences, products or quotients; false: of another function, nothing is done. load(i, row, at, n) gives n
// elements of input i, store(y, row, at, n) takes them.
template <BinaryFunction F, bool kAdds = false, class Load, class Store>
inline void combine_all(const CombineRow& row, const Load& load, const Store& store) {
  for (int64_t r = 0; r < row.rows; ++r)
    for (int64_t at = 0; at < row.n; at += Reals::kLanes) {
      const int64_t left = row.n - at, n = left < Reals::kLanes ? left : Reals::kLanes;
      Reals y = combined<F>(load(0, r, at, n), load(1, r, at, n));
      if constexpr (kAdds)
        if (row.addend != nullptr) {
          const float* const addend = row.addend + r * row.addend_apart;
          y = y + (row.addend_step == 0 ? Reals::of(*addend) : Reals::load(addend + at, n));
        }
      store(y, r, at, n);
    }
}
// The largest magnitude of a real number that stands for one of `t`.
inline float most_real(DType t, float scale, float zero) {
  const float low = (t == DType::i8 ? -128.f : 0.f) - zero, high = (t == DType::i8 ? 127.f : 255.f) - zero;
  return __builtin_fabsf(scale) * (__builtin_fabsf(low) > __builtin_fabsf(high) ? __builtin_fabsf(low) : __builtin_fabsf(high));
}
// The largest magnitude of n real numbers; NaN if one is.
inline float most_of(const float* x, int64_t n) {
  float most = 0;
  for (int64_t i = 0; i < n; ++i) {
    const float y = __builtin_fabsf(x[i]);
    most = y <= most ? most : y;
    if (most != most) break;
  }
  return most;
}
// The same of rows whose right side is one number each, which is read once.
template <BinaryFunction F>
int64_t combine_with_one(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, bool is_signed) {
  constexpr int64_t kColumns = kColumnsAtOnce;
  uint8_t same[kColumns];
  CombineRow parts = row;
  parts.rows = row.n / kColumns;
  parts.in_apart[0] = parts.out_apart = kColumns;
  parts.in_apart[1] = 0;
  parts.in[1] = same;
  for (int64_t r = 0; parts.rows > 0 && r < row.rows; ++r) {
    __builtin_memset(same, static_cast<const uint8_t*>(row.in[1])[r * row.in_apart[1]], sizeof same);
    parts.in[0] = static_cast<const uint8_t*>(row.in[0]) + r * row.in_apart[0];
    parts.out = static_cast<uint8_t*>(row.out) + r * row.out_apart;
    combine_with_same<F>(parts, read, write, is_signed);
  }
  return parts.rows * kColumns;
}
// Sums and products of u8, or of i8, with each other or with real numbers that are the same in all rows, in tame ranges: the first columns
// of each row, how many.
constexpr int64_t kManyRows = 16;
template <BinaryFunction F>
int64_t combine_bytes(const CombineRow& row, DType a, DType b, DType out, const VectorRead (&read)[2], const VectorWrite& write) {
  if constexpr (F == BinaryFunction::add || F == BinaryFunction::mul) {
    const bool real = b == DType::f32;
    if ((a != b && !real) || a != out || (a != DType::u8 && a != DType::i8) || row.step[0] != 1) return 0;
    const bool one = row.step[1] == 0;  // else 1
    if (row.out_scale == nullptr || (one && (real || row.addend != nullptr))) return 0;
    if (real && (row.in_apart[1] != 0 || row.rows < kManyRows)) return 0;  // its range is searched for
    if (row.addend != nullptr && (!real || row.addend_step != 1 || row.addend_apart != 0)) return 0;
    float most[2];
    for (int i = 0; i < 2; ++i)
      most[i] = i == 1 && real
                    ? most_of(static_cast<const float*>(row.in[1]), row.n)
                    : most_real(a, row.in_scale[i] == nullptr ? 1.f : *row.in_scale[i], row.in_zero[i] == nullptr ? 0.f : *row.in_zero[i]);
    float most_result = F == BinaryFunction::add ? most[0] + most[1] : most[0] * most[1];
    if (row.addend != nullptr) most_result += most_of(row.addend, row.n);
    const float scale = *row.out_scale;
    if (!quotients_fit(most_result, scale)) return 0;
    const bool is_signed = a == DType::i8;
    if (one) return combine_with_one<F>(row, read, write, is_signed);
    return real ? combine_most<F, float>(row, read, write, is_signed) : combine_most<F, uint8_t>(row, read, write, is_signed);
  } else {
    return 0;
  }
}
template <BinaryFunction F> bool combine_vectors(const CombineRow& all, DType a, DType b, DType out) {
  constexpr bool kPlain = F == BinaryFunction::add || F == BinaryFunction::sub || F == BinaryFunction::mul || F == BinaryFunction::div;
  if constexpr (kPlain) {
    const DType dtypes[2] = {a, b};
    const auto factor = [](const float* f, float absent) { return f == nullptr ? absent : *f; };
    CombineRow row = all;
    const VectorRead read[2] = {{factor(row.in_scale[0], 1.f), factor(row.in_zero[0], 0.f)},
                                {factor(row.in_scale[1], 1.f), factor(row.in_zero[1], 0.f)}};
    const VectorWrite write(row.out_scale, row.out_zero);
    if (const int64_t done = combine_bytes<F>(row, a, b, out, read, write); done > 0) {
      row.n -= done;
      row.out = static_cast<std::byte*>(row.out) + done;
      for (int i = 0; i < 2; ++i)
        row.in[i] = static_cast<const std::byte*>(row.in[i]) + done * row.step[i] * (dtypes[i] == DType::f32 ? 4 : 1);
      if (row.addend != nullptr) row.addend += done;
    }
    const auto load_as = [&](auto tag, int i, int64_t r, int64_t at, int64_t n) {
      return read[i](static_cast<const decltype(tag)*>(row.in[i]) + r * row.in_apart[i] + at, n);
    };
    const auto store_as = [&](auto tag, Reals y, int64_t r, int64_t at, int64_t n) {
      write(y, static_cast<decltype(tag)*>(row.out) + r * row.out_apart + at, n);
    };
    // The commonest, where combine_bytes() has not made them: numbers of the result's dtype, side by side, of both or beside real ones.
    if constexpr (F == BinaryFunction::sub || F == BinaryFunction::div) {
      const bool bytes = a == DType::u8 && out == DType::u8 && row.step[0] != 0 && row.step[1] != 0;
      const auto store_bytes_of = [&](Reals y, int64_t r, int64_t at, int64_t n) { store_as(uint8_t{}, y, r, at, n); };
      if (bytes && b == DType::u8) {
        combine_all<F>(
            row, [&](int i, int64_t r, int64_t at, int64_t n) { return load_as(uint8_t{}, i, r, at, n); }, store_bytes_of);
        return true;
      }
      if (bytes && b == DType::f32) {
        const auto load = [&](int i, int64_t r, int64_t at, int64_t n) {
          return i == 0 ? load_as(uint8_t{}, 0, r, at, n) : load_as(float{}, 1, r, at, n);
        };
        combine_all<F>(row, load, store_bytes_of);
        return true;
      }
    }
    const auto load = [&](int i, int64_t r, int64_t at, int64_t n) {
      const bool one = row.step[i] == 0;
      const int64_t from = one ? 0 : at, count = one ? 1 : n;
      const Reals x = dtypes[i] == DType::f32  ? load_as(float{}, i, r, from, count)
                      : dtypes[i] == DType::i8 ? load_as(int8_t{}, i, r, from, count)
                                               : load_as(uint8_t{}, i, r, from, count);
      return one ? x.first() : x;
    };
    const auto store = [&](Reals y, int64_t r, int64_t at, int64_t n) {
      switch (out) {
        case DType::f32: store_as(float{}, y, r, at, n); break;
        case DType::i8: store_as(int8_t{}, y, r, at, n); break;
        default: store_as(uint8_t{}, y, r, at, n); break;
      }
    };
    combine_all<F, F == BinaryFunction::mul>(row, load, store);
    return true;
  } else {
    return false;
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
