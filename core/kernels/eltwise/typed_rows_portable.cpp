// SPDX-License-Identifier: Apache-2.0
// The typed rows, portable.
#include "core/kernels/eltwise/typed_rows.inl.h"

namespace anydim {

constinit const TypedRows TypedRows::portable = portable::kTypedRows;

}  // namespace anydim
