// SPDX-License-Identifier: Apache-2.0
// The typed rows, portable.
#include "core/kernels/eltwise/typed_rows.inl.h"

namespace anydim {

constinit const TypedRows TypedRows::portable = {portable::typed_unary, portable::typed_binary, portable::typed_cast, portable::typed_where, portable::turned_row, portable::small_division_row<int64_t, BinaryFunction::div>, portable::small_division_row<int64_t, BinaryFunction::mod_trunc>};

}  // namespace anydim
