// SPDX-License-Identifier: Apache-2.0
// What tensors of doubles need beside simd/doubles.h: their memory, and multiply-adds.
#pragma once

#include "core/kernels/simd/doubles.h"

namespace anydim::ANYDIM_ISA {
namespace {

template <int W> __attribute__((always_inline)) inline Doubles<W> load_doubles(const double* p) {
  Doubles<W> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <int W> __attribute__((always_inline)) inline void store_doubles(double* p, Doubles<W> v) { __builtin_memcpy(p, &v, sizeof v); }

// a * b + c, rounded once.
template <int W> __attribute__((always_inline)) inline Doubles<W> fused(Doubles<W> a, Doubles<W> b, Doubles<W> c) {
#if defined(__AVX512F__)
  if constexpr (W == 8)
    return __builtin_bit_cast(
        Doubles<W>, _mm512_fmadd_pd(__builtin_bit_cast(__m512d, a), __builtin_bit_cast(__m512d, b), __builtin_bit_cast(__m512d, c)));
#elif defined(__FMA__)
  if constexpr (W == 4)
    return __builtin_bit_cast(
        Doubles<W>, _mm256_fmadd_pd(__builtin_bit_cast(__m256d, a), __builtin_bit_cast(__m256d, b), __builtin_bit_cast(__m256d, c)));
#endif
  Doubles<W> r;
  for (int i = 0; i < W; ++i) r[i] = __builtin_fma(a[i], b[i], c[i]);
  return r;
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
