// SPDX-License-Identifier: Apache-2.0
// Math mode fast: convolutions of 3x3 in Winograd's form F(4x4, 3x3) (docs/numerics.md, section 1). Which layers are computed so, and for
// which planes of the output, are the functions here.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList conv_fast_kernels() noexcept;

// The last of the list: plain loops.
const HostKernel& conv_fast_reference() noexcept;

// Whether kernels of that mode compute the problem: all of them or none.
Support fast_serves_conv(const Problem& problem) noexcept;

// Whether a plane of the output is computed in that form, or as in mode strict.
bool winograd_serves_plane(int64_t height, int64_t width) noexcept;

}  // namespace anydim
