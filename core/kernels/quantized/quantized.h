// SPDX-License-Identifier: Apache-2.0
// Kernels of matmul, convolution and transposed convolution for operands with scales and zero points, and for results of another
// dtype than the sum's (core/ops/quantization.h).
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList quantized_kernels() noexcept;

}  // namespace anydim
