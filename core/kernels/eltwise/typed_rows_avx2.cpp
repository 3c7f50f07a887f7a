// SPDX-License-Identifier: Apache-2.0
// The typed rows, avx2.
#include "core/kernels/eltwise/typed_rows.inl.h"

namespace anydim {

constinit const TypedRows TypedRows::avx2 = avx2::kTypedRows;

}  // namespace anydim
