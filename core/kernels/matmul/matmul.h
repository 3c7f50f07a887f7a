// SPDX-License-Identifier: Apache-2.0
// Kernels of matmul.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList gemm_kernels() noexcept;

// The last of the list: plain loops, f32, f64 and integers.
const HostKernel& gemm_reference() noexcept;

}  // namespace anydim
