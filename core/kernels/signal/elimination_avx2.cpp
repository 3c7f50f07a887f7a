// SPDX-License-Identifier: Apache-2.0
// Determinants with AVX2: the body is elimination.inl.h.
#include "core/kernels/signal/elimination.inl.h"

namespace anydim {

double Determinant::avx2(double* a, int64_t n) noexcept { return avx2::determinant(a, n); }

}  // namespace anydim
