// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution in plain C++: the bodies are depthwise.inl.h and windows.inl.h.
#include "core/kernels/conv/depthwise/depthwise_job.h"

#include "core/kernels/eltwise/functions.h"

#include <cmath>

#include <cstdint>

namespace anydim {
namespace {

#include "core/kernels/simd/portable.h"

// Lane i of the result is lane lanes[i] of x.
inline F32 permute(F32 x, F32::Int lanes) {
  return lanewise<F32::kWidth>([&](int i) { return x.v[lanes.v[i]]; });
}

inline void keep_in_registers(F32&, const float*&) {}  // no tile of it fits into them

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"

constexpr auto run_epilogue = run_epilogue_portable;
#include "core/kernels/conv/depthwise/depthwise.inl.h"
#include "core/kernels/conv/depthwise/windows.inl.h"

}  // namespace

void depthwise_rows_portable(const DepthwiseJob& job, int64_t row_begin, int64_t row_end, int64_t c_begin, int64_t c_end) noexcept {
  depthwise_rows(job, row_begin, row_end, c_begin, c_end);
}

void depthwise_window_portable(const DepthwiseJob& job, const DepthwisePart& part) noexcept { depthwise_window(job, part); }

}  // namespace anydim
