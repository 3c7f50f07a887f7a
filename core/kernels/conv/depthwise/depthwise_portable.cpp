// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution in plain C++: the bodies are depthwise.inl.h and windows.inl.h.
#include <cmath>
#include <cstdint>

#include "core/kernels/conv/depthwise/depthwise_job.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/simd/portable.h"

namespace anydim::portable {
namespace {

// Lane i of the result is lane lanes[i] of x.
inline F32 permute(F32 x, F32::Int lanes) {
  return lanewise<F32::kWidth>([&](int i) { return x.v[lanes.v[i]]; });
}

inline void keep_in_registers(F32&, const float*&) {}  // no tile of it fits into them

}  // namespace
}  // namespace anydim::portable

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"
#include "core/kernels/conv/depthwise/depthwise.inl.h"
#include "core/kernels/conv/depthwise/windows.inl.h"

namespace anydim {

void DepthwiseRows::portable(const DepthwiseJob& job, int64_t row_begin, int64_t row_end, int64_t c_begin, int64_t c_end) noexcept {
  portable::depthwise_rows(job, row_begin, row_end, c_begin, c_end);
}

void DepthwiseWindow::portable(const DepthwiseJob& job, const DepthwisePart& part) noexcept { portable::depthwise_window(job, part); }

}  // namespace anydim
