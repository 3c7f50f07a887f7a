// SPDX-License-Identifier: Apache-2.0
// The f32 element-wise machine, avx512.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/eltwise/rows.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx512.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/eltwise/rows.inl.h"
}  // namespace

void eltwise_rows_avx512(const RowBlock& block) noexcept { run_rows(block); }

}  // namespace anydim
