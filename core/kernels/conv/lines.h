// SPDX-License-Identifier: Apache-2.0
// Convolutions and transposed ones into up to four channels a group (the last layer of a network that makes images, one step of a
// vocoder, filters of audio, depthwise ones of a few channels): lanes are positions.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

// For x86-64 alone (lines_x86.cpp); conv_line_kernels() has them.
KernelList conv_lines_x86() noexcept;

}  // namespace anydim
