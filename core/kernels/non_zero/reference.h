// SPDX-License-Identifier: Apache-2.0
// The references of CountNonZero and NonZero, and what all their kernels share: what zero is, and the failure.
#pragma once

#include "core/kernels/kernel.h"
#include "core/kernels/non_zero/bits.h"

namespace anydim {

extern const HostKernel* const kCountNonZeroReference;
extern const HostKernel* const kNonZeroReference;

inline ElementBits element_bits(DType t) noexcept { return {static_cast<int>(dtype_size(t)), dtype_is_float(t)}; }
Status too_few(int64_t found, int64_t count) noexcept;

}  // namespace anydim
