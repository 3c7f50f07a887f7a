// SPDX-License-Identifier: Apache-2.0
// Math mode fast: convolutions of 3x3 in Winograd's form, F(4x4, 3x3) or F(2x2, 3x3) (docs/numerics.md, section 1). Which layers are
// computed so, which of the two forms their weights are held in, and for which planes of the output it is used, are the functions here.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList conv_fast_kernels() noexcept;

// The last of the list: plain loops.
const HostKernel& conv_fast_reference() noexcept;

// Whether kernels of that mode compute the problem: all of them or none.
Support fast_serves_conv(const Problem& problem) noexcept;

// Outputs of a tile along an axis, 4 or 2: what weights with so many channels and outputs in a group are transformed for.
int winograd_tile(int64_t channels, int64_t outputs) noexcept;
// Whether a plane of the output is computed in that form, or as in mode strict.
bool winograd_serves_plane(int tile, int64_t height, int64_t width) noexcept;

}  // namespace anydim
