// SPDX-License-Identifier: Apache-2.0
// Rows of integers of 8 and 16 bits, and of u32 and u64 where their sign counts, over the compiler's own vectors. Sums and products have
// the same bits for both signs. For sets with registers of 32 or 64 bytes; without it the rows of wider integers compute the same
// (typed_kernels.cpp).
#pragma once

#include <cstdint>
#include <cstring>

#include "core/kernels/eltwise/typed_rows.inl.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kShortBytes = 64;
#else
constexpr int kShortBytes = 32;
#endif

// The first `whole` elements are done: f on those left, in a vector of their own.
__attribute__((noinline)) void finish_short_row(const TypedRow& row, int64_t whole, int64_t bytes, int64_t out_bytes,
                                                TypedRowFunction f) noexcept {
  alignas(64) unsigned char rest[3][kShortBytes] = {};
  const auto left = static_cast<size_t>(row.n - whole);
  for (int o = 0; o < 2; ++o)
    if (row.in[o] != nullptr)
      std::memcpy(rest[o], static_cast<const unsigned char*>(row.in[o]) + whole * bytes, left * static_cast<size_t>(bytes));
  f({rest[2], {rest[0], rest[1]}, kShortBytes / (bytes > out_bytes ? bytes : out_bytes)});
  std::memcpy(static_cast<unsigned char*>(row.out) + whole * out_bytes, rest[2], left * static_cast<size_t>(out_bytes));
}

// out = step(a, b) for vectors of From, which may be of another width than those of To. Without a second operand b is a.
template <class To, class From, class Step> void short_row(const TypedRow& row) noexcept {
  constexpr int64_t kLanes = kShortBytes / (sizeof(From) > sizeof(To) ? sizeof(From) : sizeof(To));
  typedef From V __attribute__((vector_size(kLanes * sizeof(From))));
  typedef To R __attribute__((vector_size(kLanes * sizeof(To))));
  const auto* const a = static_cast<const From*>(row.in[0]);
  const auto* const b = static_cast<const From*>(row.in[1]);
  auto* const out = static_cast<To*>(row.out);
  const int64_t whole = row.n / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    V x, y = {};
    std::memcpy(&x, a + i, sizeof x);
    if constexpr (Step::kOperands == 2) std::memcpy(&y, b + i, sizeof y);
    const R r = __builtin_convertvector(Step::of(x, y), R);
    std::memcpy(out + i, &r, sizeof r);
  }
  if (whole < row.n) finish_short_row(row, whole, sizeof(From), sizeof(To), short_row<To, From, Step>);
}

struct OfTwo {
  static constexpr int kOperands = 2;
};
struct OfOne {
  static constexpr int kOperands = 1;
};
template <BinaryFunction f> struct ShortStep : OfTwo {
  template <class V> __attribute__((always_inline)) static auto of(V a, V b) {
    if constexpr (f == BinaryFunction::add) return a + b;
    else if constexpr (f == BinaryFunction::sub) return a - b;
    else if constexpr (f == BinaryFunction::mul) return a * b;
    else if constexpr (f == BinaryFunction::min) return a < b ? a : b;
    else if constexpr (f == BinaryFunction::max) return a > b ? a : b;
    else if constexpr (f == BinaryFunction::bitwise_and) return a & b;
    else if constexpr (f == BinaryFunction::bitwise_or) return a | b;
    else if constexpr (f == BinaryFunction::bitwise_xor) return a ^ b;
    else if constexpr (f == BinaryFunction::equal) return (a == b) & 1;
    else if constexpr (f == BinaryFunction::less) return (a < b) & 1;
    else return (a <= b) & 1;
  }
};
template <UnaryFunction f> struct ShortFunction : OfOne {
  template <class V> __attribute__((always_inline)) static V of(V a, V zero) {
    if constexpr (f == UnaryFunction::neg) return -a;
    else if constexpr (f == UnaryFunction::bitwise_not) return ~a;
    else if constexpr (f == UnaryFunction::relu) return a > zero ? a : zero;
    else if constexpr (f == UnaryFunction::abs) return a > zero ? a : -a;
    else return (a > zero ? V{} + 1 : zero) - (a < zero ? V{} + 1 : zero);
  }
};
struct ShortCast : OfOne {
  template <class V> __attribute__((always_inline)) static V of(V a, V) { return a; }
};
struct ShortTruth : OfOne {
  template <class V> __attribute__((always_inline)) static auto of(V a, V zero) { return (a != zero) & 1; }
};

template <class T> TypedRowFunction short_order(BinaryFunction f) noexcept {
  switch (f) {
    case BinaryFunction::min: return short_row<T, T, ShortStep<BinaryFunction::min>>;
    case BinaryFunction::max: return short_row<T, T, ShortStep<BinaryFunction::max>>;
    case BinaryFunction::less: return short_row<uint8_t, T, ShortStep<BinaryFunction::less>>;
    case BinaryFunction::less_equal: return short_row<uint8_t, T, ShortStep<BinaryFunction::less_equal>>;
    default: return nullptr;
  }
}
// T is unsigned and S of the same width.
template <class T, class S> TypedRowFunction short_function(BinaryFunction f, bool is_signed) noexcept {
  switch (f) {
    case BinaryFunction::add: return short_row<T, T, ShortStep<BinaryFunction::add>>;
    case BinaryFunction::sub: return short_row<T, T, ShortStep<BinaryFunction::sub>>;
    case BinaryFunction::mul: return short_row<T, T, ShortStep<BinaryFunction::mul>>;
    case BinaryFunction::bitwise_and: return short_row<T, T, ShortStep<BinaryFunction::bitwise_and>>;
    case BinaryFunction::bitwise_or: return short_row<T, T, ShortStep<BinaryFunction::bitwise_or>>;
    case BinaryFunction::bitwise_xor: return short_row<T, T, ShortStep<BinaryFunction::bitwise_xor>>;
    case BinaryFunction::equal: return short_row<uint8_t, T, ShortStep<BinaryFunction::equal>>;
    default: return is_signed ? short_order<S>(f) : short_order<T>(f);
  }
}
template <class T, class S> TypedRowFunction short_function(UnaryFunction f, bool is_signed) noexcept {
  switch (f) {
    case UnaryFunction::neg: return short_row<T, T, ShortFunction<UnaryFunction::neg>>;
    case UnaryFunction::bitwise_not: return short_row<T, T, ShortFunction<UnaryFunction::bitwise_not>>;
    case UnaryFunction::relu: return is_signed ? short_row<S, S, ShortFunction<UnaryFunction::relu>> : nullptr;
    case UnaryFunction::abs: return is_signed ? short_row<S, S, ShortFunction<UnaryFunction::abs>> : nullptr;
    case UnaryFunction::sign:
      return is_signed ? short_row<S, S, ShortFunction<UnaryFunction::sign>> : short_row<T, T, ShortFunction<UnaryFunction::sign>>;
    default: return nullptr;
  }
}

inline TypedRowFunction any_binary(BinaryFunction f, DType t) noexcept {
  if (const TypedRowFunction row = typed_binary(f, t); row != nullptr) return row;
  switch (t) {
    case DType::i8:
    case DType::u8: return short_function<uint8_t, int8_t>(f, t == DType::i8);
    case DType::i16:
    case DType::u16: return short_function<uint16_t, int16_t>(f, t == DType::i16);
    case DType::u32: return short_order<uint32_t>(f);
    case DType::u64: return short_order<uint64_t>(f);
    default: return nullptr;
  }
}
inline TypedRowFunction any_unary(UnaryFunction f, DType t) noexcept {
  switch (t) {
    case DType::i8:
    case DType::u8: return short_function<uint8_t, int8_t>(f, t == DType::i8);
    case DType::i16:
    case DType::u16: return short_function<uint16_t, int16_t>(f, t == DType::i16);
    default: return typed_unary(f, t);
  }
}
inline TypedRowFunction any_cast(DType from, DType to) noexcept {
  const bool to_bytes = to == DType::u8 || to == DType::i8, to_short = to == DType::u16 || to == DType::i16;
  if (from == DType::u8 && to_short) return short_row<uint16_t, uint8_t, ShortCast>;
  if (from == DType::i8 && to_short) return short_row<int16_t, int8_t, ShortCast>;
  if (from == DType::u16 || from == DType::i16) {
    if (to_bytes) return short_row<uint8_t, uint16_t, ShortCast>;
    if (to == DType::boolean) return short_row<uint8_t, uint16_t, ShortTruth>;
  }
  return typed_cast(from, to);
}

constexpr TypedRows kAllTypedRows = {any_unary,
                                     any_binary,
                                     any_cast,
                                     typed_where,
                                     turned_row,
                                     small_division_row<int64_t, BinaryFunction::div>,
                                     small_division_row<int64_t, BinaryFunction::mod_trunc>};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
