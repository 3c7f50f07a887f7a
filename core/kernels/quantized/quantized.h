// SPDX-License-Identifier: Apache-2.0
// Kernels for operands with scales and zero points, and for results of another dtype than the sum's (core/ops/quantization.h):
// matmul, convolution and transposed convolution, and casts; and the search for the scale of a tensor.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList quantized_kernels() noexcept;
KernelList convert_kernels() noexcept;
KernelList combine_kernels() noexcept;
KernelList range_kernels() noexcept;

// The parts of quantized_kernels().
KernelList int_matmul_list() noexcept;          // bytes.cpp
KernelList int_depthwise_line_list() noexcept;  // depthwise_lines.cpp
KernelList int_depthwise_list() noexcept;       // depthwise.cpp
KernelList int_convolution_list() noexcept;     // convolution.cpp
KernelList int_transposed_list() noexcept;      // transposed.cpp
KernelList quantized_references() noexcept;     // reference.cpp

}  // namespace anydim
