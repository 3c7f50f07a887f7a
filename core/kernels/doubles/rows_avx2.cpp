// SPDX-License-Identifier: Apache-2.0
// Rows of doubles, avx2.
#include "core/kernels/doubles/rows.inl.h"

namespace anydim {

constinit const DoubleRows DoubleRows::avx2 = avx2::kDoubleRows;

}  // namespace anydim
