// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with AVX-512: the body is depthwise.inl.h.
#include "core/kernels/depthwise/depthwise_job.h"

#include "core/kernels/eltwise/functions.h"

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <cstdint>

namespace anydim {
namespace {

#include "core/kernels/simd/avx512.h"

// Lane i of the result is lane lanes[i] of x.
inline F32 permute(F32 x, F32::Int lanes) { return {_mm512_permutexvar_ps(lanes.v, x.v)}; }

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/epilogue.inl.h"
#include "core/kernels/depthwise/depthwise.inl.h"

}  // namespace

void depthwise_rows_avx512(const DepthwiseJob& job, int64_t row_begin, int64_t row_end, int64_t c_begin, int64_t c_end) noexcept {
  depthwise_rows(job, row_begin, row_end, c_begin, c_end);
}

}  // namespace anydim
