// SPDX-License-Identifier: Apache-2.0
// The f32 element-wise machine, portable.
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/eltwise/rows.inl.h"

namespace anydim {

void EltwiseRows::portable(const RowBlock& block) noexcept { portable::run_rows(block); }

}  // namespace anydim
