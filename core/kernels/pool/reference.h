// SPDX-License-Identifier: Apache-2.0
// Pooling one output element at a time, from the contract's words. Any strides; also other dtypes and the indices.
#pragma once

#include "core/kernels/kernel.h"
#include "core/ops/operators/pooling.h"

namespace anydim {

// Null, or why the reference cannot do it.
const char* pool_reference_refusal(const Pooling& op, DType dtype) noexcept;
void reference_pool(const Pooling::Window& window, const Args& args) noexcept;

}  // namespace anydim
