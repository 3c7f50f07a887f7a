// SPDX-License-Identifier: Apache-2.0
// Steps of integer reductions over the compiler's own vectors.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/kernels/reduce/integer_steps.h"
#include "core/kernels/reduce/running_rows.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// Of an instruction set's registers; the rest of kIntegerVector stays as it is.
#if defined(__AVX512F__)
constexpr int kStepBytes = 64;
#elif defined(__AVX2__)
constexpr int kStepBytes = 32;
#else
constexpr int kStepBytes = 16;
#endif
static_assert(kStepBytes <= kIntegerVector);

template <class T, int kBytes> struct VectorOf { typedef T type __attribute__((vector_size(kBytes))); };
template <class T, int kBytes = kStepBytes> using Vec = typename VectorOf<T, kBytes>::type;

// Parts of `bytes` < 64 bytes, without a loop.
__attribute__((noinline)) void copy_rest(unsigned char* to, const unsigned char* from, int64_t bytes) noexcept {
  const auto part = [&](int64_t size) {
    if ((bytes & size) == 0) return;
    std::memcpy(to, from, static_cast<size_t>(size));
    to += size;
    from += size;
  };
  part(32), part(16), part(8), part(4), part(2), part(1);
}

// take(acc, x) and join(a, b) on vectors of partial results; unsigned but where the sign counts.
struct SumStep {
  template <class V> __attribute__((always_inline)) static V take(V acc, V x) { return acc + x; }
  template <class V> __attribute__((always_inline)) static V join(V a, V b) { return a + b; }
};
struct SquareStep : SumStep {
  template <class V> __attribute__((always_inline)) static V take(V acc, V x) { return acc + x * x; }
};
struct AbsStep : SumStep {  // of signed numbers
  template <class V> __attribute__((always_inline)) static V take(V acc, V x) {
    const V negative = V{} - (x >> (static_cast<int>(sizeof(acc[0])) * 8 - 1));
    return acc + ((x ^ negative) - negative);
  }
};
struct ProductStep {
  template <class V> __attribute__((always_inline)) static V take(V acc, V x) { return acc * x; }
  template <class V> __attribute__((always_inline)) static V join(V a, V b) { return a * b; }
};
struct MostStep {
  template <class V> __attribute__((always_inline)) static V take(V acc, V x) { return join(acc, x); }
  template <class V> __attribute__((always_inline)) static V join(V a, V b) { return a > b ? a : b; }
};

template <class A, class T> __attribute__((always_inline)) inline Vec<A> load_elements(const T* x) {
  if constexpr (sizeof(A) == sizeof(T)) {
    Vec<A> v;
    std::memcpy(&v, x, sizeof v);
    return v;
  } else {
    Vec<T, kStepBytes * sizeof(T) / sizeof(A)> v;
    std::memcpy(&v, x, sizeof v);
    return __builtin_convertvector(v, Vec<A>);
  }
}
// What is left: n elements, neutral ones behind them.
template <class A, class T> __attribute__((noinline)) const T* rest_of(const IntegerTake& t, const T* x, int64_t n, T* rest) noexcept {
  for (int64_t i = 0; i < kStepBytes / static_cast<int64_t>(sizeof(A)); ++i) rest[i] = static_cast<T>(t.neutral);
  copy_rest(reinterpret_cast<unsigned char*>(rest), reinterpret_cast<const unsigned char*>(x), n * static_cast<int64_t>(sizeof(T)));
  return rest;
}

template <class V, size_t... kIndex> __attribute__((always_inline)) inline auto upper_half(V v, std::index_sequence<kIndex...>) {
  return __builtin_shufflevector(v, v, (sizeof...(kIndex) + kIndex)...);
}
template <class V, size_t... kIndex> __attribute__((always_inline)) inline auto lower_half(V v, std::index_sequence<kIndex...>) {
  return __builtin_shufflevector(v, v, kIndex...);
}
template <class A, class Step, int kBytes> __attribute__((always_inline)) inline A settled(Vec<A, kBytes> v) {
  if constexpr (kBytes == 16) {
    A a[16 / sizeof(A)];
    std::memcpy(a, &v, 16);
    A r = a[0];
    for (size_t i = 1; i < 16 / sizeof(A); ++i) r = Step::join(r, a[i]);
    return r;
  } else {
    constexpr auto kHalf = std::make_index_sequence<kBytes / 2 / sizeof(A)>();
    return settled<A, Step, kBytes / 2>(Step::join(lower_half(v, kHalf), upper_half(v, kHalf)));
  }
}
template <class A> __attribute__((always_inline)) inline Vec<A> everywhere(uint64_t v) { return Vec<A>{} + static_cast<A>(v); }

template <class A, class T, class Step> void step_across(const IntegerTake& t) noexcept {
  constexpr int64_t kLanes = kStepBytes / sizeof(A);
  alignas(kStepBytes) T rest[kLanes];
  auto* partial = static_cast<Vec<A>*>(t.partial);
  const auto* x = static_cast<const T*>(t.x);
  const Vec<A> turn = everywhere<A>(t.turn);
  for (int64_t n = t.n; n > 0; n -= kLanes, x += kLanes, ++partial)
    *partial = Step::take(*partial, load_elements<A, T>(n >= kLanes ? x : rest_of<A, T>(t, x, n, rest)) ^ turn);
}

template <class A, class T, class Step, class Join> void step_along(const IntegerTake& t) noexcept {
  constexpr int64_t kLanes = kStepBytes / sizeof(A);
  using Index = std::make_signed_t<A>;
  alignas(kStepBytes) T rest[kLanes];
  auto* partial = static_cast<A*>(t.partial);
  const Vec<A> turn = everywhere<A>(t.turn), neutral = everywhere<A>(t.neutral) ^ turn;
  Vec<Index> index;
  for (int64_t i = 0; i < kLanes; ++i) index[i] = static_cast<Index>(i);
  for (int64_t r = 0; r < t.rows; ++r) {
    const auto* x = static_cast<const T*>(t.x) + r * t.row_stride;
    const int64_t whole = t.n / kLanes * kLanes, left = t.n - whole;
    Vec<A> acc = everywhere<A>(t.start);
    for (int64_t i = 0; i < whole; i += kLanes) acc = Step::take(acc, load_elements<A, T>(x + i) ^ turn);
    if (left > 0) {
      // A vector that ends where the row does, where what is before its elements can be read: of this row, or of those before it.
      const T* end = x + t.n;
      const bool in_place = whole > 0 || (t.row_stride > 0 && r * t.row_stride + left >= kLanes);
      if (!in_place) end = rest_of<A, T>(t, x, left, rest) + kLanes;
      const Vec<A> v = load_elements<A, T>(end - kLanes) ^ turn;
      const auto mine = index >= everywhere<Index>(in_place ? static_cast<uint64_t>(kLanes - left) : 0);
      acc = Step::take(acc, mine ? v : neutral);
    }
    partial[r] = Join::join(partial[r], settled<A, Join, kStepBytes>(acc));
  }
}

template <class A, class T, class Step> const IntegerSteps* steps_of() noexcept {
  // Joining is the same for all that adds.
  using Join = std::conditional_t<std::is_base_of_v<SumStep, Step>, SumStep, Step>;
  static constexpr IntegerSteps kSteps = {step_across<A, T, Step>, step_along<A, T, Step, Join>};
  return &kSteps;
}
template <class Step> const IntegerSteps* steps_of(bool wide) noexcept {
  return wide ? steps_of<uint64_t, uint64_t, Step>() : steps_of<uint32_t, uint32_t, Step>();
}

inline const IntegerSteps* integer_steps(ReduceKind kind, DType t) noexcept {
  const bool wide = t == DType::i64 || t == DType::u64, narrow = t == DType::i32 || t == DType::u32;
  if (kind == ReduceKind::max || kind == ReduceKind::min) {
    if (wide) return steps_of<int64_t, int64_t, MostStep>();
    if (narrow) return steps_of<int32_t, int32_t, MostStep>();
    return t == DType::i8 || t == DType::u8 || t == DType::boolean ? steps_of<int8_t, int8_t, MostStep>() : nullptr;
  }
  if (!wide && !narrow) return nullptr;
  switch (kind) {
    case ReduceKind::l1:
      if (t == DType::i32 || t == DType::i64) return steps_of<AbsStep>(wide);
      [[fallthrough]];
    case ReduceKind::sum: return steps_of<SumStep>(wide);
    case ReduceKind::sum_square:
    case ReduceKind::l2: return steps_of<SquareStep>(wide);
    case ReduceKind::prod: return steps_of<ProductStep>(wide);
    case ReduceKind::mean: return wide ? steps_of<uint64_t, uint64_t, SumStep>() : steps_of<uint64_t, uint32_t, SumStep>();
    default: return nullptr;
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
