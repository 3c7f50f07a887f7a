// SPDX-License-Identifier: Apache-2.0
// The family of kernels that compute operators of 16-bit floats on f32 kernels of other families: tensors are widened into
// scratch, the f32 kernel runs on them, and its result is rounded once when it is stored. That is the definition of these
// operators (docs/numerics.md, section 4), so the bits are those of the references. Softmax, layer norm and depthwise convolution
// go in pieces, which stay in the second cache. Element-wise operators have kernels of their own (eltwise/half.cpp).
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

// Convolution, transposed convolution, matmul, pooling, reduction, softmax, layer norm, recurrent layers, folds, grid samples, top k, and
// scatters that combine.
KernelList half_kernels() noexcept;

}  // namespace anydim
