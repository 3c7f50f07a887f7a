// SPDX-License-Identifier: Apache-2.0
// A matrix times one column with AVX-512: the body is column.inl.h.
#include "core/kernels/gemm/column.h"

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/gemm/tile_engine.h"

#include <immintrin.h>

#include <cstdint>

namespace anydim {
namespace {

#include "core/kernels/simd/avx512.h"

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/epilogue.inl.h"
#include "core/kernels/gemm/column.inl.h"

}  // namespace

void column_product_avx512(const ColumnJob& job) noexcept { column_product(job); }

}  // namespace anydim
