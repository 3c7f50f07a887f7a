// SPDX-License-Identifier: Apache-2.0
// The f32 element-wise machine, avx2.
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/eltwise/rows.inl.h"

namespace anydim {

void EltwiseRows::avx2(const RowBlock& block) noexcept { avx2::run_rows(block); }

}  // namespace anydim
