// SPDX-License-Identifier: Apache-2.0
// A matrix times one column with AVX2: the body is column.inl.h.
#include "core/kernels/matmul/column.h"

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/tiles/tile_engine.h"

#include <immintrin.h>

#include <cstdint>

namespace anydim {
namespace {

#include "core/kernels/simd/avx2.h"

constexpr auto run_epilogue = run_epilogue_avx2;
#include "core/kernels/matmul/column.inl.h"

}  // namespace

void column_product_avx2(const ColumnJob& job) noexcept { column_product(job); }

}  // namespace anydim
