// SPDX-License-Identifier: Apache-2.0
// Convolutions and transposed ones into up to four channels (the last layer of a network that makes images, one step of a vocoder): lanes are positions.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

// For x86-64 alone (lines_x86.cpp).
const HostKernel& conv_lines_avx2() noexcept;
const HostKernel& conv_lines_avx512() noexcept;
const HostKernel& conv_transpose_lines_avx2() noexcept;
const HostKernel& conv_transpose_lines_avx512() noexcept;

}  // namespace anydim
