// SPDX-License-Identifier: Apache-2.0
// Rows of doubles, avx512.
#include "core/kernels/doubles/rows.inl.h"

namespace anydim {

constinit const DoubleRows DoubleRows::avx512 = avx512::kDoubleRows;

}  // namespace anydim
