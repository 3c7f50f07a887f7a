// SPDX-License-Identifier: Apache-2.0
// Determinants with the baseline's instructions: the body is elimination.inl.h.
#include "core/kernels/signal/elimination.inl.h"

namespace anydim {

double Determinant::portable(double* a, int64_t n) noexcept { return portable::determinant(a, n); }

}  // namespace anydim
