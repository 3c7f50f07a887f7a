// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with AVX2: the bodies are depthwise.inl.h and windows.inl.h.
#include <cstdint>

#include "core/kernels/conv/depthwise/depthwise_job.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/simd/avx2.h"

namespace anydim::avx2 {
namespace {

// Lane i of the result is lane lanes[i] of x.
inline F32 permute(F32 x, F32::Int lanes) { return {_mm256_permutevar8x32_ps(x.v, lanes.v)}; }

inline __attribute__((always_inline)) void keep_in_registers(F32& x, const float*& p) { asm("" : "+v"(x.v), "+r"(p)); }

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"
#include "core/kernels/conv/depthwise/depthwise.inl.h"
#include "core/kernels/conv/depthwise/windows.inl.h"

namespace anydim {

void DepthwiseRows::avx2(const DepthwiseJob& job, int64_t row_begin, int64_t row_end, int64_t c_begin, int64_t c_end) noexcept {
  avx2::depthwise_rows(job, row_begin, row_end, c_begin, c_end);
}

void DepthwiseWindow::avx2(const DepthwiseJob& job, const DepthwisePart& part) noexcept { avx2::depthwise_window(job, part); }

}  // namespace anydim
