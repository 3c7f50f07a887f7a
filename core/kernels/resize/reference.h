// SPDX-License-Identifier: Apache-2.0
// Resize one output element at a time, from the contract's words: any rank, axes, strides and mode.
#pragma once

#include "core/kernels/kernel.h"
#include "core/ops/operators/resize.h"

namespace anydim {

int64_t reference_resize_scratch(const Operator& op, const Dims& in, const Dims& out) noexcept;
Status reference_resize(const Args& args) noexcept;

// The bits of extrapolation_value as an element of this dtype.
void store_extrapolated(const Resize& op, DType dtype, std::byte* element) noexcept;

}  // namespace anydim
