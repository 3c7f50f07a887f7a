// SPDX-License-Identifier: Apache-2.0
// Cells of recurrent layers on f32, avx2.
#include "core/kernels/recurrent/cells.inl.h"

namespace anydim {

constinit const CellFunctions CellFunctions::avx2 = avx2::kCellFunctions;

}  // namespace anydim
