// SPDX-License-Identifier: Apache-2.0
// The typed rows as plain loops over scalar.inl.h, which the compiler turns into vectors, those of short_rows.inl.h, the 16-bit floats over
// the vector type F32, and doubles.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/kernels/eltwise/doubles.inl.h"
#include "core/kernels/eltwise/lane_functions.inl.h"
#include "core/kernels/eltwise/lanes.h"
#include "core/kernels/eltwise/row_loops.inl.h"
#include "core/kernels/eltwise/rows64.inl.h"
#include "core/kernels/eltwise/scalar.inl.h"
#include "core/kernels/eltwise/short_rows.inl.h"
#include "core/kernels/eltwise/typed_rows.h"
#include "core/kernels/simd/doubles.h"
#include "core/kernels/simd/fused_doubles.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

inline void equal_truths_row(const TypedRow& row) noexcept {
  row_of_two<bool, bool>(row, [](bool a, bool b) { return a == b; });
}
template <class T, BinaryFunction f> void integer_row(const TypedRow& row) noexcept {
  row_of_two<T, T>(row, [](T a, T b) { return integer_binary(f, a, b); });
}
// Division is a tenth as fast as that of floats: of at most 32 bits quotients are exact as whole parts of those of doubles, since no
// quotient is nearer to the next whole number than 2^-32. T holds numbers of 32 bits, of either sign.
template <class T, BinaryFunction f> T small_division(T a, T b) noexcept {
  const T d = (b == 0) | (b == -1) ? T{1} : b;
  const T q = static_cast<T>(static_cast<double>(a) / static_cast<double>(d));
  if constexpr (f == BinaryFunction::div) {
    const T r = b == -1 ? static_cast<T>(0 - static_cast<uint64_t>(a)) : q;
    return b == 0 ? T{0} : r;
  } else {
    const T r = static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(q) * static_cast<uint64_t>(d));
    const bool other_sign = f == BinaryFunction::mod_floor && (r != 0) & ((r < 0) != (d < 0));
    return static_cast<T>(static_cast<uint64_t>(r) + (other_sign ? static_cast<uint64_t>(d) : 0));
  }
}
template <class T, BinaryFunction f> void small_division_row(const TypedRow& row) noexcept {
  row_of_two<T, T>(row, [](T a, T b) { return small_division<T, f>(a, b); });
}
// Powers of n elements, all exponents from 0 on: a product for each bit that any of them has.
template <class T> void integer_powers(const T* a, const T* b, T* out, int64_t n) noexcept {
  using U = std::make_unsigned_t<T>;
  constexpr int64_t kSome = 128;
  U base[kSome], r[kSome], e[kSome], any = 0;
  for (int64_t k = 0; k < kSome; ++k) {
    base[k] = static_cast<U>(a[k < n ? k : 0]);
    e[k] = static_cast<U>(b[k < n ? k : 0]);
    r[k] = 1;
  }
  for (int64_t k = 0; k < kSome; ++k) any |= e[k];
  for (; any != 0; any >>= 1)
    for (int64_t k = 0; k < kSome; ++k) {
      r[k] *= (e[k] & 1) != 0 ? base[k] : U{1};
      base[k] *= base[k];
      e[k] >>= 1;
    }
  for (int64_t k = 0; k < n; ++k) out[k] = static_cast<T>(r[k]);
}
// One exponent for the whole row is a matter of products.
template <class T> void integer_power_row(const TypedRow& row) noexcept {
  const auto *a = static_cast<const T*>(row.in[0]), *b = static_cast<const T*>(row.in[1]);
  using U = std::make_unsigned_t<T>;
  U others = 0;
  T least = b[0];
  for (int64_t i = 0; i < row.n; ++i) {
    others |= static_cast<U>(b[i] ^ b[0]);
    least = b[i] < least ? b[i] : least;
  }
  if (least < 0) return row_of_two<T, T>(row, [](T x, T y) { return integer_power(x, y); });
  auto* out = static_cast<T*>(row.out);
  constexpr int64_t kSome = 128;
  if (others == 0 && b[0] <= 4) {
    const auto each = [&](auto f) {
      for (int64_t i = 0; i < row.n; ++i) out[i] = static_cast<T>(f(static_cast<U>(a[i])));
    };
    switch (static_cast<int>(b[0])) {
      case 0: return each([](U) { return U{1}; });
      case 1: return each([](U x) { return x; });
      case 2: return each([](U x) { return x * x; });
      case 3: return each([](U x) { return x * x * x; });
      default: return each([](U x) { return (x * x) * (x * x); });
    }
  }
  for (int64_t i = 0; i < row.n; i += kSome) integer_powers(a + i, b + i, out + i, row.n - i < kSome ? row.n - i : kSome);
}
inline void turned_row(const TypedRow& row) noexcept {
  row_of_one<uint64_t, uint64_t>(row, [](uint64_t a) { return a ^ (uint64_t{1} << 63); });
}
template <class T, UnaryFunction f> void integer_unary_row(const TypedRow& row) noexcept {
  row_of_one<T, T>(row, [](T a) { return integer_unary(f, a); });
}
template <BinaryFunction f> void logical_row(const TypedRow& row) noexcept {
  row_of_two<bool, bool>(row, [](bool a, bool b) { return logical(f, a, b); });
}
inline void not_row(const TypedRow& row) noexcept {
  row_of_one<bool, bool>(row, [](bool a) { return !a; });
}
inline void infinity_row(const TypedRow& row) noexcept {  // of either sign
  row_of_one<bool, float>(row, [](float a) { return __builtin_fabsf(a) == __builtin_inff(); });
}
// convert() of a float to an integer without a branch, as loops over vectors need it.
template <class C, class F> inline C whole_of(F y) {  // y is one that C has
  if constexpr (sizeof(C) <= 2) {
    return static_cast<C>(static_cast<int32_t>(y));
  } else if constexpr (std::is_signed_v<C>) {
    return static_cast<C>(y);
  } else {
    using S = std::make_signed_t<C>;
    constexpr F kHalf = static_cast<F>(std::numeric_limits<C>::max() / 2 + 1);
    const bool high = y >= kHalf;
    return static_cast<C>(static_cast<S>(high ? y - kHalf : y)) + (high ? std::numeric_limits<C>::max() / 2 + 1 : C{0});
  }
}
template <class C, class F> inline C saturated(F x) {
  if constexpr (sizeof(C) > sizeof(F)) return saturated<C>(static_cast<double>(x));  // exact; lanes of one width
  constexpr F kAbove = static_cast<F>(std::numeric_limits<C>::max() / 2 + 1) * F{2},
              kLow = static_cast<F>(std::numeric_limits<C>::lowest());
  constexpr F kMost = kAbove * (F{1} - std::numeric_limits<F>::epsilon() / F{2});  // the next below
  F y = x > kMost ? kMost : x;
  y = y < kLow ? kLow : y;
  const C r = whole_of<C>(x == x ? y : F{0});
  if constexpr (std::numeric_limits<C>::digits > std::numeric_limits<F>::digits) return x >= kAbove ? std::numeric_limits<C>::max() : r;
  else return r;
}
template <class To, class From> void cast_row(const TypedRow& row) noexcept {
  row_of_one<To, From>(row, [](From a) {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) return saturated<To>(a);
    else return convert<To>(a);
  });
}
template <class To, class From> constexpr TypedRowFunction cast_of() noexcept {
  using T = typename InMemory<To>::type;
  using F = typename InMemory<From>::type;
  if constexpr (std::is_same_v<To, bool> || (std::is_same_v<From, bool> && sizeof(To) <= 2)) return short_row<T, F, ShortTruth>;
  else if constexpr (sizeof(To) > 2) return cast_row<To, From>;
  else if constexpr (std::is_floating_point_v<From>) return short_row<T, F, ShortSaturated<To>>;
  else return short_row<T, F, ShortCast>;
}
template <class T> void where_row(const TypedRow& row) noexcept {
  auto* out = static_cast<T*>(row.out);
  const auto* condition = static_cast<const uint8_t*>(row.in[0]);
  const auto *a = static_cast<const T*>(row.in[1]), *b = static_cast<const T*>(row.in[2]);
  const int64_t n = row.n;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T x = a[i], y = b[i];  // both are read, so that it is a selection and no branch
    out[i] = condition[i] != 0 ? x : y;
  }
}

// --- 16-bit floats: T is F16 or BF16 ----------------------------------------------------------------------------

template <class T> inline F32 load_half(const uint16_t* p) {
  if constexpr (std::is_same_v<T, F16>) return F32::load_f16(p);
  else return F32::load_bf16(p);
}
template <class T> inline void store_half(F32 v, uint16_t* p) {
  if constexpr (std::is_same_v<T, F16>) v.store_f16(p);
  else v.store_bf16(p);
}

template <class T> void widen(const uint16_t* from, float* to, int64_t n) noexcept {
  constexpr int64_t W = F32::kWidth;
  int64_t i = 0;
  for (; i + W <= n; i += W) load_half<T>(from + i).store(to + i);
  if (i == n) return;
  uint16_t rest[W] = {};
  for (int64_t k = 0; k < n - i; ++k) rest[k] = from[i + k];
  load_half<T>(rest).store_partial(to + i, static_cast<int>(n - i));
}
template <class T> void narrow(const float* from, uint16_t* to, int64_t n) noexcept {
  constexpr int64_t W = F32::kWidth;
  int64_t i = 0;
  for (; i + W <= n; i += W) store_half<T>(F32::load(from + i), to + i);
  if (i == n) return;
  uint16_t rest[W];
  store_half<T>(F32::load_partial(from + i, static_cast<int>(n - i)), rest);
  for (int64_t k = 0; k < n - i; ++k) to[i + k] = rest[k];
}

template <class T> void widen_row(const TypedRow& row) noexcept {
  widen<T>(static_cast<const uint16_t*>(row.in[0]), static_cast<float*>(row.out), row.n);
}
template <class T> void narrow_row(const TypedRow& row) noexcept {
  narrow<T>(static_cast<const float*>(row.in[0]), static_cast<uint16_t*>(row.out), row.n);
}

// What gives another dtype of 16-bit floats: the f32 row on pieces that were widened.
constexpr int64_t kPiece = 256;
template <class T> void on_widened(const TypedRow& row, int operands, int64_t out_bytes, TypedRowFunction f32) noexcept {
  float wide[2][kPiece];
  for (int64_t i = 0; i < row.n; i += kPiece) {
    const int64_t n = row.n - i < kPiece ? row.n - i : kPiece;
    for (int o = 0; o < operands; ++o) widen<T>(static_cast<const uint16_t*>(row.in[o]) + i, wide[o], n);
    f32({static_cast<unsigned char*>(row.out) + i * out_bytes, {wide[0], wide[1]}, n});
  }
}
template <class To, class T> void cast_half_row(const TypedRow& row) noexcept {
  on_widened<T>(row, 1, static_cast<int64_t>(sizeof(To)), cast_of<To, float>());
}
template <class T> void nan_half_row(const TypedRow& row) noexcept {
  on_widened<T>(row, 1, 1, short_row<uint8_t, float, ShortFunction<UnaryFunction::is_nan>>);
}
template <class T> void infinity_half_row(const TypedRow& row) noexcept { on_widened<T>(row, 1, 1, infinity_row); }
template <class T, BinaryFunction f> void compare_half_row(const TypedRow& row) noexcept {
  on_widened<T>(row, 2, 1, short_row<uint8_t, float, ShortStep<f>>);
}
// to_odd_float() of what is 0 or of at least 2^-126, and to_odd_double(), without a branch.
inline float odd_float(double x) {
  constexpr uint64_t kLost = (UINT64_C(1) << 29) - 1;  // bits that a float has no room for
  const auto u = __builtin_bit_cast(uint64_t, x);
  return static_cast<float>(__builtin_bit_cast(double, (u & ~kLost) | ((u & kLost) != 0 ? kLost + 1 : 0)));
}
template <class T> inline double odd_double(T v) {
  if constexpr (sizeof(T) < 8) return static_cast<double>(v);
  const uint64_t all = static_cast<uint64_t>(v), m = v < T{0} ? 0 - all : all;
  const uint64_t folded = (m & ~UINT64_C(0x7ff)) | ((m & 0x7ff) != 0 ? 0x800 : 0);
  const auto d = static_cast<double>(m >> 53 != 0 ? folded : m);
  return v < T{0} ? -d : d;
}
// Exact, or rounded to odd, and then once.
template <class T, class From> void cast_to_half_row(const TypedRow& row) noexcept {
  const auto* const a = static_cast<const typename InMemory<From>::type*>(row.in[0]);
  for (int64_t i = 0; i < row.n; i += kPiece) {
    const int64_t n = row.n - i < kPiece ? row.n - i : kPiece;
    float wide[kPiece];
    if constexpr (std::is_same_v<From, double>) {
      int64_t tiny = 0;
      for (int64_t k = 0; k < n; ++k) tiny |= static_cast<int64_t>((__builtin_fabs(a[i + k]) < 0x1p-126) & (a[i + k] != 0.0));
      if (tiny == 0)
        for (int64_t k = 0; k < n; ++k) wide[k] = odd_float(a[i + k]);
      else
        for (int64_t k = 0; k < n; ++k) wide[k] = to_odd_float(a[i + k]);
    } else {
      for (int64_t k = 0; k < n; ++k) {
        const From v = value_of_memory<From>(a[i + k]);
        if constexpr (sizeof(From) <= 2) wide[k] = static_cast<float>(v);
        else wide[k] = odd_float(odd_double(v));
      }
    }
    narrow<T>(wide, static_cast<uint16_t*>(row.out) + i, n);
  }
}

template <class T> TypedRowFunction half_comparison(BinaryFunction f) noexcept {
  switch (f) {
    case BinaryFunction::equal: return compare_half_row<T, BinaryFunction::equal>;
    case BinaryFunction::less: return compare_half_row<T, BinaryFunction::less>;
    case BinaryFunction::less_equal: return compare_half_row<T, BinaryFunction::less_equal>;
    default: return nullptr;
  }
}
template <class T> TypedRowFunction cast_half_to(DType to) noexcept {
  switch (to) {
    case DType::f32: return widen_row<T>;
    case DType::i32: return cast_half_row<int32_t, T>;
    case DType::i64: return cast_half_row<int64_t, T>;
    case DType::i8: return cast_half_row<int8_t, T>;
    case DType::u8: return cast_half_row<uint8_t, T>;
    case DType::boolean: return cast_half_row<bool, T>;
    default: return nullptr;
  }
}

// --- what there is ----------------------------------------------------------------------------------------------

template <class T> TypedRowFunction integer_function(BinaryFunction f) noexcept {
  switch (f) {
    case BinaryFunction::add: return integer_row<T, BinaryFunction::add>;
    case BinaryFunction::sub: return integer_row<T, BinaryFunction::sub>;
    case BinaryFunction::mul: return integer_row<T, BinaryFunction::mul>;
    case BinaryFunction::pow: return integer_power_row<T>;
    case BinaryFunction::div:
      if constexpr (sizeof(T) == 4) return small_division_row<T, BinaryFunction::div>;
      else return integer_row<T, BinaryFunction::div>;
    case BinaryFunction::min: return integer_row<T, BinaryFunction::min>;
    case BinaryFunction::max: return integer_row<T, BinaryFunction::max>;
    case BinaryFunction::mod_floor:
      if constexpr (sizeof(T) == 4) return small_division_row<T, BinaryFunction::mod_floor>;
      else return integer_row<T, BinaryFunction::mod_floor>;
    case BinaryFunction::mod_trunc:
      if constexpr (sizeof(T) == 4) return small_division_row<T, BinaryFunction::mod_trunc>;
      else return integer_row<T, BinaryFunction::mod_trunc>;
    case BinaryFunction::shift_left: return integer_row<T, BinaryFunction::shift_left>;
    case BinaryFunction::shift_right: return integer_row<T, BinaryFunction::shift_right>;
    case BinaryFunction::bitwise_and: return integer_row<T, BinaryFunction::bitwise_and>;
    case BinaryFunction::bitwise_or: return integer_row<T, BinaryFunction::bitwise_or>;
    case BinaryFunction::bitwise_xor: return integer_row<T, BinaryFunction::bitwise_xor>;
    default: return comparison<T>(f);
  }
}

inline TypedRowFunction f64_function_row(UnaryFunction f) noexcept {
  switch (f) {
    case UnaryFunction::relu: return f64_unary_row<UnaryFunction::relu>;
    case UnaryFunction::abs: return f64_unary_row<UnaryFunction::abs>;
    case UnaryFunction::neg: return f64_unary_row<UnaryFunction::neg>;
    case UnaryFunction::square: return f64_unary_row<UnaryFunction::square>;
    case UnaryFunction::sqrt: return f64_unary_row<UnaryFunction::sqrt>;
    case UnaryFunction::reciprocal: return f64_unary_row<UnaryFunction::reciprocal>;
    case UnaryFunction::exp: return f64_unary_row<UnaryFunction::exp>;
    case UnaryFunction::tanh: return f64_unary_row<UnaryFunction::tanh>;
    case UnaryFunction::sigmoid: return f64_unary_row<UnaryFunction::sigmoid>;
    case UnaryFunction::silu: return f64_unary_row<UnaryFunction::silu>;
    case UnaryFunction::floor: return f64_unary_row<UnaryFunction::floor>;
    case UnaryFunction::ceil: return f64_unary_row<UnaryFunction::ceil>;
    case UnaryFunction::round_even: return f64_unary_row<UnaryFunction::round_even>;
    case UnaryFunction::sign: return f64_unary_row<UnaryFunction::sign>;
    case UnaryFunction::clip: return f64_clip_row;
    case UnaryFunction::log: return lane_functions().log_row;
    case UnaryFunction::is_nan: return short_row<uint8_t, double, ShortFunction<UnaryFunction::is_nan>>;
    case UnaryFunction::is_inf: return infinity_f64_row;
    default: return lane_functions().row(f);
  }
}
inline TypedRowFunction f64_function_row(BinaryFunction f) noexcept {
  switch (f) {
    case BinaryFunction::add: return f64_binary_row<BinaryFunction::add>;
    case BinaryFunction::sub: return f64_binary_row<BinaryFunction::sub>;
    case BinaryFunction::mul: return f64_binary_row<BinaryFunction::mul>;
    case BinaryFunction::div: return f64_binary_row<BinaryFunction::div>;
    case BinaryFunction::max: return f64_binary_row<BinaryFunction::max>;
    case BinaryFunction::min: return f64_binary_row<BinaryFunction::min>;
    case BinaryFunction::prelu: return f64_binary_row<BinaryFunction::prelu>;
    case BinaryFunction::pow: return lane_functions().power_row;
    case BinaryFunction::mod_floor: return lane_functions().mod_floor_row;
    case BinaryFunction::mod_trunc: return lane_functions().mod_trunc_row;
    default: return comparison<double>(f);
  }
}

template <class T> TypedRowFunction integer_function(UnaryFunction f) noexcept {
  switch (f) {
    case UnaryFunction::relu: return integer_unary_row<T, UnaryFunction::relu>;
    case UnaryFunction::abs: return integer_unary_row<T, UnaryFunction::abs>;
    case UnaryFunction::neg: return integer_unary_row<T, UnaryFunction::neg>;
    case UnaryFunction::sign: return integer_unary_row<T, UnaryFunction::sign>;
    case UnaryFunction::square: return integer_unary_row<T, UnaryFunction::square>;
    case UnaryFunction::bitwise_not: return integer_unary_row<T, UnaryFunction::bitwise_not>;
    default: return nullptr;
  }
}

inline TypedRowFunction typed_unary(UnaryFunction f, DType t) noexcept {
  if (f == UnaryFunction::clip && t != DType::f64) return clip_row(t);
  switch (t) {
    case DType::i8: return short_function<uint8_t, int8_t>(f);
    case DType::u8: return short_function<uint8_t, uint8_t>(f);
    case DType::i16: return short_function<uint16_t, int16_t>(f);
    case DType::u16: return short_function<uint16_t, uint16_t>(f);
    case DType::i32: return integer_function<int32_t>(f);
    case DType::i64: return integer_function<int64_t>(f);
    case DType::u64: return f == UnaryFunction::sign ? integer_unary_row<uint64_t, UnaryFunction::sign> : nullptr;
    case DType::f64: return f64_function_row(f);
    case DType::boolean: return f == UnaryFunction::logical_not ? not_row : nullptr;
    case DType::f32:
      return f == UnaryFunction::is_nan   ? short_row<uint8_t, float, ShortFunction<UnaryFunction::is_nan>>
             : f == UnaryFunction::is_inf ? infinity_row
                                          : nullptr;
    case DType::f16: return f == UnaryFunction::is_nan ? nan_half_row<F16> : f == UnaryFunction::is_inf ? infinity_half_row<F16> : nullptr;
    case DType::bf16:
      return f == UnaryFunction::is_nan ? nan_half_row<BF16> : f == UnaryFunction::is_inf ? infinity_half_row<BF16> : nullptr;
    default: return nullptr;
  }
}
// Of u64 what the rows of i64 do not give.
inline TypedRowFunction u64_function_row(BinaryFunction f) noexcept {
  switch (f) {
    case BinaryFunction::shift_right: return integer_row<uint64_t, BinaryFunction::shift_right>;
    case BinaryFunction::div: return integer_row<uint64_t, BinaryFunction::div>;
    case BinaryFunction::mod_floor:
    case BinaryFunction::mod_trunc: return integer_row<uint64_t, BinaryFunction::mod_trunc>;
    case BinaryFunction::min: return short_row<uint64_t, uint64_t, ShortStep<BinaryFunction::min>>;
    case BinaryFunction::max: return short_row<uint64_t, uint64_t, ShortStep<BinaryFunction::max>>;
    default: return nullptr;
  }
}
// Of u32 what the rows of i32 do not give.
inline TypedRowFunction u32_function_row(BinaryFunction f) noexcept {
  switch (f) {
    case BinaryFunction::min: return short_row<uint32_t, uint32_t, ShortStep<BinaryFunction::min>>;
    case BinaryFunction::max: return short_row<uint32_t, uint32_t, ShortStep<BinaryFunction::max>>;
    case BinaryFunction::less:
    case BinaryFunction::less_equal: return comparison<uint32_t>(f);
    default: return nullptr;
  }
}
inline TypedRowFunction typed_binary(BinaryFunction f, DType t) noexcept {
  switch (t) {
    case DType::i8: return short_function<uint8_t, int8_t>(f);
    case DType::i16: return short_function<uint16_t, int16_t>(f);
    case DType::u16: return short_function<uint16_t, uint16_t>(f);
    case DType::u32: return u32_function_row(f);
    case DType::u64: return u64_function_row(f);
    case DType::f32: return comparison<float>(f);
    case DType::i32: return integer_function<int32_t>(f);
    case DType::i64: return integer_function<int64_t>(f);
    case DType::u8: return short_function<uint8_t, uint8_t>(f);
    case DType::f64: return f64_function_row(f);
    case DType::f16: return half_comparison<F16>(f);
    case DType::bf16: return half_comparison<BF16>(f);
    case DType::boolean:
      switch (f) {
        case BinaryFunction::equal: return equal_truths_row;
        case BinaryFunction::logical_and: return logical_row<BinaryFunction::logical_and>;
        case BinaryFunction::logical_or: return logical_row<BinaryFunction::logical_or>;
        case BinaryFunction::logical_xor: return logical_row<BinaryFunction::logical_xor>;
        default: return nullptr;
      }
    default: return nullptr;
  }
}
template <class T, class From> TypedRowFunction cast_to_half() noexcept {
  if constexpr (std::is_same_v<From, float>) return narrow_row<T>;
  else return cast_to_half_row<T, From>;
}
template <class From> TypedRowFunction cast_to(DType to) noexcept {
  switch (to) {
    case DType::f16: return cast_to_half<F16, From>();
    case DType::bf16: return cast_to_half<BF16, From>();
    case DType::f32: return cast_row<float, From>;
    case DType::i32: return cast_row<int32_t, From>;
    case DType::i64: return cast_row<int64_t, From>;
    case DType::i8: return cast_of<int8_t, From>();
    case DType::u8: return cast_of<uint8_t, From>();
    case DType::boolean: return cast_of<bool, From>();
    case DType::i16:
      if constexpr (!std::is_same_v<From, int64_t>) return cast_of<int16_t, From>();
      else return nullptr;
    case DType::u16:
      if constexpr (std::is_floating_point_v<From> || sizeof(From) == 1) return cast_of<uint16_t, From>();
      else return nullptr;
    case DType::u32:
      if constexpr (std::is_floating_point_v<From>) return cast_row<uint32_t, From>;
      else return nullptr;
    case DType::u64:
      if constexpr (std::is_floating_point_v<From>) return cast_row<uint64_t, From>;
      else return nullptr;
    default: return nullptr;
  }
}
// Numbers of four bits, a byte each: the lowest ones count.
inline void i4_row(const TypedRow& row) noexcept {
  row_of_one<int8_t, uint8_t>(row, [](uint8_t a) { return static_cast<int8_t>(((a & 15) ^ 8) - 8); });
}
inline void u4_row(const TypedRow& row) noexcept {
  row_of_one<uint8_t, uint8_t>(row, [](uint8_t a) { return static_cast<uint8_t>(a & 15); });
}
// Numbers of 16 bits, which only quantized models hold, and u32.
template <class From> TypedRowFunction cast_of_few(DType to) noexcept {
  if (to == DType::i64 && sizeof(From) == 4) return cast_row<int64_t, From>;
  if constexpr (sizeof(From) == 2) {
    if (to == DType::i8 || to == DType::u8) return cast_of<uint8_t, From>();
    if (to == DType::boolean) return cast_of<bool, From>();
  }
  return to == DType::f32 ? cast_row<float, From> : to == DType::i32 ? cast_row<int32_t, From> : nullptr;
}
inline TypedRowFunction cast_of_u64(DType to) noexcept {
  switch (to) {
    case DType::f16: return cast_to_half_row<F16, uint64_t>;
    case DType::bf16: return cast_to_half_row<BF16, uint64_t>;
    case DType::f32: return cast_row<float, uint64_t>;
    case DType::f64: return cast_row<double, uint64_t>;
    default: return nullptr;
  }
}
inline TypedRowFunction typed_cast(DType from, DType to) noexcept {
  if (from == to) return nullptr;  // a copy of bits
  switch (from) {
    case DType::f32: return to == DType::f64 ? cast_row<double, float> : cast_to<float>(to);
    case DType::f64: return cast_to<double>(to);
    case DType::i32: return to == DType::f64 ? cast_row<double, int32_t> : cast_to<int32_t>(to);
    case DType::i64: return to == DType::f64 ? cast_row<double, int64_t> : cast_to<int64_t>(to);
    case DType::i4: return to == DType::i8 ? i4_row : nullptr;
    case DType::u4: return to == DType::u8 ? u4_row : nullptr;
    case DType::i8: return to == DType::i4 || to == DType::u4 ? u4_row : cast_to<int8_t>(to);
    case DType::u8: return to == DType::i4 || to == DType::u4 ? u4_row : cast_to<uint8_t>(to);
    case DType::i16: return cast_of_few<int16_t>(to);
    case DType::u16: return cast_of_few<uint16_t>(to);
    case DType::u32: return cast_of_few<uint32_t>(to);
    case DType::u64: return cast_of_u64(to);
    case DType::boolean: return cast_to<bool>(to);
    case DType::f16: return cast_half_to<F16>(to);
    case DType::bf16: return cast_half_to<BF16>(to);
    default: return nullptr;
  }
}
inline TypedRowFunction typed_where(int64_t bytes) noexcept {
  switch (bytes) {
    case 1: return where_row<uint8_t>;
    case 2: return where_row<uint16_t>;
    case 4: return where_row<uint32_t>;
    case 8: return where_row<uint64_t>;
    default: return nullptr;
  }
}

template <class T> inline void repeat_of(void* to, const void* element, int64_t n) noexcept {
  T v;
  __builtin_memcpy(&v, element, sizeof v);
  auto* t = static_cast<T*>(to);
  for (int64_t i = 0; i < n; ++i) t[i] = v;
}
inline void repeat_element(void* to, const void* element, int64_t bytes, int64_t n) noexcept {
  switch (bytes) {
    case 1: return repeat_of<uint8_t>(to, element, n);
    case 2: return repeat_of<uint16_t>(to, element, n);
    case 4: return repeat_of<uint32_t>(to, element, n);
    default: return repeat_of<uint64_t>(to, element, n);
  }
}

constexpr TypedRows kTypedRows = {typed_unary,
                                  typed_binary,
                                  typed_cast,
                                  typed_where,
                                  turned_row,
                                  small_division_row<int64_t, BinaryFunction::div>,
                                  small_division_row<int64_t, BinaryFunction::mod_trunc>,
                                  repeat_element};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
