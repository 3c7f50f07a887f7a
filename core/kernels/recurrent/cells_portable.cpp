// SPDX-License-Identifier: Apache-2.0
// Cells of recurrent layers on f32, portable.
#include "core/kernels/recurrent/cells.inl.h"

namespace anydim {

constinit const CellFunctions CellFunctions::portable = portable::kCellFunctions;

}  // namespace anydim
