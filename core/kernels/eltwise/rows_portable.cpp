// SPDX-License-Identifier: Apache-2.0
// The f32 element-wise machine, portable.
#include <cmath>

#include <cstdint>

#include "core/kernels/eltwise/rows.h"

namespace anydim {
namespace {
#include "core/kernels/simd/portable.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/eltwise/rows.inl.h"
}  // namespace

void eltwise_rows_portable(const RowBlock& block) noexcept { run_rows(block); }

}  // namespace anydim
