// SPDX-License-Identifier: Apache-2.0
// Convolution into a few channels, avx2: the body is lines.inl.h.
#include "core/kernels/conv/lines.inl.h"

namespace anydim {

void ConvLines::avx2(const LinesJob& job) noexcept { avx2::conv_lines(job); }

}  // namespace anydim
