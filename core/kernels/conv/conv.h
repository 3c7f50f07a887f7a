// SPDX-License-Identifier: Apache-2.0
// Kernels of convolution and transposed convolution (any groups; depthwise/ has its own for one channel a group).
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList conv_kernels() noexcept;
KernelList conv_transpose_kernels() noexcept;
// Of both operators, into up to four channels a group (lines.h): preferred to all others.
KernelList conv_line_kernels() noexcept;

// The last of each list: plain loops, f32 and f64.
const HostKernel& conv_reference() noexcept;
const HostKernel& conv_transpose_reference() noexcept;
// Math mode reduced; the last of each list: plain loops.
KernelList conv_reduced_kernels() noexcept;
KernelList conv_transpose_reduced_kernels() noexcept;
const HostKernel& conv_reduced_reference() noexcept;
const HostKernel& conv_transpose_reduced_reference() noexcept;
// Whether kernels of that mode compute the problem, of either operator: all of them or none.
Support reduced_serves_conv(const Problem& problem) noexcept;

}  // namespace anydim
