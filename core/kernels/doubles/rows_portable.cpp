// SPDX-License-Identifier: Apache-2.0
// Rows of doubles, portable.
#include "core/kernels/doubles/rows.inl.h"

namespace anydim {

constinit const DoubleRows DoubleRows::portable = portable::kDoubleRows;

}  // namespace anydim
