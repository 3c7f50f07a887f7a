// SPDX-License-Identifier: Apache-2.0
// Vectors of W doubles in the compiler's own vector types, for the few functions that compute in binary64. Arithmetic is IEEE's,
// lane by lane (no contraction: CMakeLists.txt). Wider ones than the machine's work, but GCC 12 compares them element by element.
#pragma once

#include <cstdint>

#include "core/kernels/simd/set.h"

#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors wider than registers as arguments: everything here is inlined
#endif

namespace anydim::ANYDIM_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kDoubles = 8;  // of a register
#elif defined(__AVX2__)
constexpr int kDoubles = 4;
#else
constexpr int kDoubles = 2;
#endif

template <int W> struct DoublesOf {
  typedef double Type __attribute__((vector_size(W * 8)));
  typedef int64_t Bits __attribute__((vector_size(W * 8)));  // also the type of a mask: all ones or zero
  typedef float Floats __attribute__((vector_size(W * 4)));
};
template <int W> using Doubles = typename DoublesOf<W>::Type;
template <int W> using DoubleBits = typename DoublesOf<W>::Bits;

template <int W> __attribute__((always_inline)) inline Doubles<W> load_doubles(const float* p) {
  typename DoublesOf<W>::Floats f;
  __builtin_memcpy(&f, p, sizeof f);
  return __builtin_convertvector(f, Doubles<W>);
}
// Rounded once, to the nearest.
template <int W> __attribute__((always_inline)) inline void store_floats(float* p, Doubles<W> v) {
  const auto f = __builtin_convertvector(v, typename DoublesOf<W>::Floats);
  __builtin_memcpy(p, &f, sizeof f);
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
