// SPDX-License-Identifier: Apache-2.0
// What the operators do to one element of dtypes other than f32, and what conversions do: docs/numerics.md, sections 4 and 7. The normative
// text, used by the reference kernels and by the typed rows alike.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/kernels/simd/half.h"
#include "core/ops/scalar_functions.h"

namespace anydim {
namespace {

// The 16-bit floats in memory; they compute as f32.
struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};

// What an element of type T is while it is computed with.
template <class T> struct ComputeType { using type = T; };
template <> struct ComputeType<F16> { using type = float; };
template <> struct ComputeType<BF16> { using type = float; };

template <class T>
constexpr bool kIsFloat = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, F16> || std::is_same_v<T, BF16>;

// Integers: everything modulo 2^n, quotients toward zero; a quotient by zero is 0, a remainder by zero 0.
template <class T> T integer_unary(UnaryFunction f, T x) {
  using U = std::make_unsigned_t<T>;
  const auto wrap = [](U v) { return static_cast<T>(v); };
  switch (f) {
    case UnaryFunction::relu: return x < 0 ? T{0} : x;
    case UnaryFunction::abs: return x < 0 ? wrap(static_cast<U>(0 - static_cast<U>(x))) : x;
    case UnaryFunction::neg: return wrap(static_cast<U>(0 - static_cast<U>(x)));
    case UnaryFunction::sign: return static_cast<T>((x > 0) - (x < 0));
    // Through 64 bits: a 16-bit product would be made in int, where it can overflow.
    case UnaryFunction::square: return wrap(static_cast<U>(static_cast<uint64_t>(x) * static_cast<uint64_t>(x)));
    case UnaryFunction::bitwise_not: return wrap(static_cast<U>(~static_cast<U>(x)));
    default: return x;
  }
}

template <class T> T integer_power(T a, T b) {
  if (b < 0) return a == 1 ? T{1} : std::is_signed_v<T> && a == static_cast<T>(-1) ? (b % 2 != 0 ? a : T{1}) : T{0};
  uint64_t base = static_cast<uint64_t>(a), r = 1;
  for (auto n = static_cast<uint64_t>(b); n != 0; n >>= 1, base *= base)
    if (n & 1) r *= base;
  return static_cast<T>(r);
}

template <class T> T integer_binary(BinaryFunction f, T a, T b) {
  constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const bool by_minus_one = std::is_signed_v<T> && b == static_cast<T>(-1);
  switch (f) {
    case BinaryFunction::add: return static_cast<T>(ua + ub);
    case BinaryFunction::sub: return static_cast<T>(ua - ub);
    case BinaryFunction::mul: return static_cast<T>(ua * ub);
    case BinaryFunction::div: return b == 0 ? T{0} : by_minus_one ? static_cast<T>(0 - ua) : static_cast<T>(a / b);
    case BinaryFunction::min: return a < b ? a : b;
    case BinaryFunction::max: return a > b ? a : b;
    case BinaryFunction::pow: return integer_power(a, b);
    case BinaryFunction::prelu: return a < 0 ? static_cast<T>(ua * ub) : a;
    case BinaryFunction::mod_trunc:
    case BinaryFunction::mod_floor: {
      if (b == 0 || by_minus_one) return T{0};
      const T r = static_cast<T>(a % b);
      return f == BinaryFunction::mod_floor && r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
    }
    case BinaryFunction::bitwise_and: return static_cast<T>(a & b);
    case BinaryFunction::bitwise_or: return static_cast<T>(a | b);
    case BinaryFunction::bitwise_xor: return static_cast<T>(a ^ b);
    case BinaryFunction::shift_left: return b < 0 || b >= static_cast<T>(kBits) ? T{0} : static_cast<T>(ua << b);
    case BinaryFunction::shift_right: return b >= 0 && b < static_cast<T>(kBits) ? static_cast<T>(a >> b) : static_cast<T>(a < 0 ? -1 : 0);
    default: return T{0};
  }
}

template <class T> bool compare(BinaryFunction f, T a, T b) {
  switch (f) {
    case BinaryFunction::equal: return a == b;
    case BinaryFunction::less: return a < b;
    case BinaryFunction::less_equal: return a <= b;
    case BinaryFunction::greater: return a > b;
    default: return a >= b;
  }
}

inline bool logical(BinaryFunction f, bool a, bool b) {
  return f == BinaryFunction::logical_and ? a && b : f == BinaryFunction::logical_or ? a || b : a != b;
}

// Rounds to odd: toward zero, the last bit set if anything was lost. A second rounding to a narrower type then gives
// what a single rounding would.
inline float to_odd_float(double x) {
  const float f = static_cast<float>(x);
  if (static_cast<double>(f) == x || f != f) return f;
  float toward_zero = f;
  if (std::fabs(static_cast<double>(f)) > std::fabs(x)) toward_zero = std::nextafter(f, 0.f);
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, toward_zero) | 1u);
}
template <class T> double to_odd_double(T v) {
  // At most 64 significant bits: the 11 lowest are folded into one when they do not fit.
  const bool negative = v < 0;
  uint64_t m = negative ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
  if (m >> 53 != 0) m = (m >> 11 | ((m & 0x7ff) != 0 ? 1u : 0u)) << 11;
  const auto d = static_cast<double>(m);
  return negative ? -d : d;
}

template <class To, class From> typename ComputeType<To>::type convert(From x) {
  using C = typename ComputeType<To>::type;
  if constexpr (std::is_same_v<To, bool>) return x != From{};
  else if constexpr (std::is_same_v<From, bool>) return static_cast<C>(x ? 1 : 0);
  else if constexpr (std::is_same_v<To, F16> || std::is_same_v<To, BF16>) {
    // The store rounds f32 once more, so what comes before must be exact or rounded to odd.
    if constexpr (std::is_same_v<From, float>) return x;
    else if constexpr (std::is_same_v<From, double>) return to_odd_float(x);
    else return to_odd_float(to_odd_double(x));
  } else if constexpr (std::is_floating_point_v<C>) {
    return static_cast<C>(x);
  } else if constexpr (std::is_floating_point_v<From>) {
    if (x != x) return C{};
    // 2^n bounds are exact in every float type.
    constexpr auto kAbove = static_cast<From>(std::numeric_limits<C>::max() / 2 + 1) * From{2};
    if (x >= kAbove) return std::numeric_limits<C>::max();
    if (x < static_cast<From>(std::numeric_limits<C>::lowest())) return std::numeric_limits<C>::lowest();
    return static_cast<C>(x);
  } else {
    return static_cast<C>(x);  // modulo 2^n
  }
}

// Bounds become integers as a conversion makes them.
template <class T> T integer_clip(T x, float low, float high) {
  const T lo = convert<T>(low), hi = convert<T>(high), y = x < lo ? lo : x;
  return hi < y ? hi : y;
}

}  // namespace
}  // namespace anydim
