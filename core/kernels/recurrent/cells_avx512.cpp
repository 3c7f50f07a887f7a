// SPDX-License-Identifier: Apache-2.0
// Cells of recurrent layers on f32, avx512.
#include "core/kernels/recurrent/cells.inl.h"

namespace anydim {

constinit const CellFunctions CellFunctions::avx512 = avx512::kCellFunctions;

}  // namespace anydim
