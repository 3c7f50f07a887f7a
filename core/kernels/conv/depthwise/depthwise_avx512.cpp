// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with AVX-512: the bodies are depthwise.inl.h and windows.inl.h.
#include <cstdint>

#include "core/kernels/conv/depthwise/depthwise_job.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/simd/avx512.h"

namespace anydim::avx512 {
namespace {

// Lane i of the result is lane lanes[i] of x.
inline F32 permute(F32 x, F32::Int lanes) { return {_mm512_permutexvar_ps(lanes.v, x.v)}; }

// A vector as two: the first number of each half comes from memory into all lanes of it.
#define ANYDIM_HALVES
struct Halves {
  __m256 low, high;
  static Halves zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
  static Halves load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
  static Halves spread(const float* p, int64_t apart) { return {_mm256_set1_ps(p[0]), _mm256_set1_ps(p[apart])}; }
  F32 joined() const { return {_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1)}; }
};
inline Halves fma(Halves a, Halves b, Halves c) { return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)}; }

inline __attribute__((always_inline)) void keep_in_registers(F32& x, const float*& p) { asm("" : "+v"(x.v), "+r"(p)); }

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"
#include "core/kernels/conv/depthwise/depthwise.inl.h"
#include "core/kernels/conv/depthwise/windows.inl.h"

namespace anydim {

void DepthwiseRows::avx512(const DepthwiseJob& job, int64_t row_begin, int64_t row_end, int64_t c_begin, int64_t c_end) noexcept {
  avx512::depthwise_rows(job, row_begin, row_end, c_begin, c_end);
}

void DepthwiseWindow::avx512(const DepthwiseJob& job, const DepthwisePart& part) noexcept { avx512::depthwise_window(job, part); }

}  // namespace anydim
