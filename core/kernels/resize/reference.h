// SPDX-License-Identifier: Apache-2.0
// Resize one output element at a time, from the contract's words: any rank, axes, strides and mode.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

int64_t reference_resize_scratch(const Operator& op, const Dims& in, const Dims& out) noexcept;
Status reference_resize(const Args& args) noexcept;

}  // namespace anydim
