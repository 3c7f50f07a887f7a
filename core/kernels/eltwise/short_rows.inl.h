// SPDX-License-Identifier: Apache-2.0
// Rows over the compiler's own vectors: what gives another width, which plain loops do badly, and integers of 8 and 16 bits. A row is a
// loop over whole vectors; what is left of it goes through one of its own.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/kernels/eltwise/scalar.inl.h"
#include "core/kernels/eltwise/typed_rows.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kShortBytes = 64;
#elif defined(__AVX2__)
constexpr int kShortBytes = 32;
#else
constexpr int kShortBytes = 16;
#endif

// The first `whole` elements are done: f on those left, in a vector of their own.
__attribute__((noinline)) void finish_short_row(const TypedRow& row, int64_t whole, int64_t bytes, int64_t out_bytes,
                                                TypedRowFunction f) noexcept {
  alignas(64) unsigned char rest[3][kShortBytes] = {};
  const auto left = static_cast<size_t>(row.n - whole);
  for (int o = 0; o < 2; ++o)
    if (row.in[o] != nullptr)
      std::memcpy(rest[o], static_cast<const unsigned char*>(row.in[o]) + whole * bytes, left * static_cast<size_t>(bytes));
  f({rest[2], {rest[0], rest[1]}, kShortBytes / (bytes > out_bytes ? bytes : out_bytes), row.alpha, row.beta});
  std::memcpy(static_cast<unsigned char*>(row.out) + whole * out_bytes, rest[2], left * static_cast<size_t>(out_bytes));
}

// To To's width; integers in halves, which GCC 12 has instructions for.
template <class To, class V> __attribute__((always_inline)) inline auto converted(V v) {
  using From = std::remove_cvref_t<decltype(v[0])>;
  constexpr int kLanes = sizeof(V) / sizeof(From);
  typedef To R __attribute__((vector_size(kLanes * sizeof(To))));
  if constexpr (std::is_integral_v<From> && sizeof(From) > 2 * sizeof(To)) {
    using Half = std::conditional_t<sizeof(From) == 8, int32_t, int16_t>;
    typedef Half H __attribute__((vector_size(kLanes * sizeof(Half))));
    return converted<To>(__builtin_convertvector(v, H));
  } else {
    return __builtin_convertvector(v, R);
  }
}

// out = step(a, b) for vectors of From, which may be of another width than those of To. Without a second operand b is a.
template <class To, class From, class Step> void short_row(const TypedRow& row) noexcept {
  constexpr int64_t kLanes = kShortBytes / (sizeof(From) > sizeof(To) ? sizeof(From) : sizeof(To));
  typedef From V __attribute__((vector_size(kLanes * sizeof(From))));
  const auto* const a = static_cast<const From*>(row.in[0]);
  const auto* const b = static_cast<const From*>(row.in[1]);
  auto* const out = static_cast<To*>(row.out);
  const int64_t whole = row.n & -kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    V x, y = {};
    std::memcpy(&x, a + i, sizeof x);
    if constexpr (Step::kOperands == 2) std::memcpy(&y, b + i, sizeof y);
    const auto r = converted<To>(Step::of(x, y));
    std::memcpy(out + i, &r, sizeof r);
  }
  if (whole < row.n) finish_short_row(row, whole, sizeof(From), sizeof(To), short_row<To, From, Step>);
}

// Integers held between two bounds.
template <class T> void short_clip_row(const TypedRow& row) noexcept {
  constexpr int64_t kLanes = kShortBytes / sizeof(T);
  typedef T V __attribute__((vector_size(kShortBytes)));
  const V low = V{} + convert<T>(static_cast<float>(row.alpha)), high = V{} + convert<T>(static_cast<float>(row.beta));
  const auto* const a = static_cast<const T*>(row.in[0]);
  auto* const out = static_cast<T*>(row.out);
  const int64_t whole = row.n & -kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    V x;
    std::memcpy(&x, a + i, sizeof x);
    x = x < low ? low : x;
    x = high < x ? high : x;
    std::memcpy(out + i, &x, sizeof x);
  }
  if (whole < row.n) finish_short_row(row, whole, sizeof(T), sizeof(T), short_clip_row<T>);
}
inline TypedRowFunction clip_row(DType t) noexcept {
  switch (t) {
    case DType::i8: return short_clip_row<int8_t>;
    case DType::u8: return short_clip_row<uint8_t>;
    case DType::i16: return short_clip_row<int16_t>;
    case DType::u16: return short_clip_row<uint16_t>;
    case DType::i32: return short_clip_row<int32_t>;
    case DType::u32: return short_clip_row<uint32_t>;
    case DType::i64: return short_clip_row<int64_t>;
    case DType::u64: return short_clip_row<uint64_t>;
    default: return nullptr;
  }
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
    else if constexpr (f == BinaryFunction::equal) return (a == b) & 1;
    else if constexpr (f == BinaryFunction::less) return (a < b) & 1;
    else return (a <= b) & 1;
  }
};
// The least integer is its own negative.
template <class V> __attribute__((always_inline)) inline V negated(V a) {
  using Element = std::remove_cvref_t<decltype(a[0])>;
  if constexpr (std::is_integral_v<Element>) {
    typedef std::make_unsigned_t<Element> U __attribute__((vector_size(sizeof(V))));
    return reinterpret_cast<V>(U{} - reinterpret_cast<U>(a));
  } else {
    return V{} - a;
  }
}
template <UnaryFunction f> struct ShortFunction : OfOne {
  template <class V> __attribute__((always_inline)) static auto of(V a, V zero) {
    if constexpr (f == UnaryFunction::neg) return zero - a;
    else if constexpr (f == UnaryFunction::bitwise_not) return ~a;
    else if constexpr (f == UnaryFunction::relu) return a > zero ? a : zero;
    else if constexpr (f == UnaryFunction::abs) return a > zero ? a : negated(a);
    else if constexpr (f == UnaryFunction::is_nan) return (a != a) & 1;
    else return (a > zero ? zero + 1 : zero) - (a < zero ? zero + 1 : zero);
  }
};
// Conversions: of bits, to truth, and of floats to integers of at most 16 bits, saturated.
struct ShortCast : OfOne {
  template <class V> __attribute__((always_inline)) static V of(V a, V) { return a; }
};
struct ShortTruth : OfOne {
  template <class V> __attribute__((always_inline)) static auto of(V a, V zero) { return (a != zero) & 1; }
};
template <class To> struct ShortSaturated : OfOne {
  template <class V> __attribute__((always_inline)) static auto of(V a, V zero) {
    typedef int32_t Whole __attribute__((vector_size(sizeof(V) / sizeof(a[0]) * sizeof(int32_t))));
    const V low = zero + std::numeric_limits<To>::lowest(), most = zero + std::numeric_limits<To>::max();
    a = a > most ? most : a;
    a = a < low ? low : a;
    return __builtin_convertvector(a == a ? a : zero, Whole);
  }
};

// The two that are missing are these of the operands in the other order.
template <class T> TypedRowFunction comparison(BinaryFunction f) noexcept {
  switch (f) {
    case BinaryFunction::equal: return short_row<uint8_t, T, ShortStep<BinaryFunction::equal>>;
    case BinaryFunction::less: return short_row<uint8_t, T, ShortStep<BinaryFunction::less>>;
    case BinaryFunction::less_equal: return short_row<uint8_t, T, ShortStep<BinaryFunction::less_equal>>;
    default: return nullptr;
  }
}
// Of integers whose sums and products are those of T, which is unsigned, and their order that of S.
template <class T, class S> TypedRowFunction short_function(BinaryFunction f) noexcept {
  switch (f) {
    case BinaryFunction::add: return short_row<T, T, ShortStep<BinaryFunction::add>>;
    case BinaryFunction::sub: return short_row<T, T, ShortStep<BinaryFunction::sub>>;
    case BinaryFunction::mul: return short_row<T, T, ShortStep<BinaryFunction::mul>>;
    case BinaryFunction::min: return short_row<S, S, ShortStep<BinaryFunction::min>>;
    case BinaryFunction::max: return short_row<S, S, ShortStep<BinaryFunction::max>>;
    case BinaryFunction::equal: return comparison<T>(f);
    default: return comparison<S>(f);
  }
}
template <class T, class S> TypedRowFunction short_function(UnaryFunction f) noexcept {
  switch (f) {
    case UnaryFunction::neg: return short_row<T, T, ShortFunction<UnaryFunction::neg>>;
    case UnaryFunction::bitwise_not: return short_row<T, T, ShortFunction<UnaryFunction::bitwise_not>>;
    case UnaryFunction::relu: return std::is_signed_v<S> ? short_row<S, S, ShortFunction<UnaryFunction::relu>> : nullptr;
    case UnaryFunction::abs: return std::is_signed_v<S> ? short_row<S, S, ShortFunction<UnaryFunction::abs>> : nullptr;
    case UnaryFunction::sign: return short_row<S, S, ShortFunction<UnaryFunction::sign>>;
    default: return nullptr;
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
