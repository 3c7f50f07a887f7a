// SPDX-License-Identifier: Apache-2.0
// Kernels of matmul.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList gemm_kernels() noexcept;

// The last of the list: plain loops, f32, f64 and integers.
const HostKernel& gemm_reference() noexcept;
// Math mode reduced; the last of the list: plain loops.
KernelList gemm_reduced_kernels() noexcept;
const HostKernel& gemm_reduced_reference() noexcept;
// Whether kernels of that mode compute the problem: all of them or none.
Support reduced_serves(const Problem& problem) noexcept;

}  // namespace anydim
