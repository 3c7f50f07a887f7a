// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with AVX2: the bodies are depthwise.inl.h and windows.inl.h.
#include "core/kernels/conv/depthwise/depthwise_job.h"

#include "core/kernels/eltwise/functions.h"

#include <immintrin.h>

#include <cstdint>

namespace anydim {
namespace {

#include "core/kernels/simd/avx2.h"

// Lane i of the result is lane lanes[i] of x.
inline F32 permute(F32 x, F32::Int lanes) { return {_mm256_permutevar8x32_ps(x.v, lanes.v)}; }

inline __attribute__((always_inline)) void keep_in_registers(F32& x, const float*& p) { asm("" : "+v"(x.v), "+r"(p)); }

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"

constexpr auto run_epilogue = run_epilogue_avx2;
#include "core/kernels/conv/depthwise/depthwise.inl.h"
#include "core/kernels/conv/depthwise/windows.inl.h"

}  // namespace

void depthwise_rows_avx2(const DepthwiseJob& job, int64_t row_begin, int64_t row_end, int64_t c_begin, int64_t c_end) noexcept {
  depthwise_rows(job, row_begin, row_end, c_begin, c_end);
}

void depthwise_window_avx2(const DepthwiseJob& job, const DepthwisePart& part) noexcept { depthwise_window(job, part); }

}  // namespace anydim
