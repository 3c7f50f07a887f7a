// SPDX-License-Identifier: Apache-2.0
// The typed rows, avx512.
#include "core/kernels/eltwise/typed_rows.inl.h"

namespace anydim {

constinit const TypedRows TypedRows::avx512 = avx512::kTypedRows;

}  // namespace anydim
