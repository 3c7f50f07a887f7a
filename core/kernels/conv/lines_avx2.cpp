// SPDX-License-Identifier: Apache-2.0
// Convolution into a few channels, avx2: the body is lines.inl.h.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/conv/lines_job.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx2.h"
#include "core/kernels/conv/lines.inl.h"
}  // namespace

void conv_lines_avx2(const LinesJob& job) noexcept { conv_lines(job); }

}  // namespace anydim
