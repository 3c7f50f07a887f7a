// SPDX-License-Identifier: Apache-2.0
// Elimination with the largest pivot of each column, in plain loops that the compiler turns into vectors. See elimination.h.
#pragma once

#include <cstdint>

#include "core/kernels/signal/elimination.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

inline double determinant(double* a, int64_t n) noexcept {
  double product = 1;
  for (int64_t k = 0; k < n; ++k) {
    double* const pivot_row = a + k * n;
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (__builtin_fabs(a[i * n + k]) > __builtin_fabs(a[pivot * n + k])) pivot = i;
    if (pivot != k) {
      double* const other = a + pivot * n;
      for (int64_t j = 0; j < n; ++j) {
        const double v = other[j];
        other[j] = pivot_row[j];
        pivot_row[j] = v;
      }
      product = -product;
    }
    const double top = pivot_row[k];
    product = product * top;
    if (top == 0) continue;  // nothing below it either: the product is 0, or NaN already
    for (int64_t i = k + 1; i < n; ++i) {
      double* const row = a + i * n;
      const double factor = row[k] / top;
#pragma GCC ivdep
      for (int64_t j = k + 1; j < n; ++j) row[j] = row[j] - factor * pivot_row[j];
    }
  }
  return product;
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
