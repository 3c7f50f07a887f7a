// SPDX-License-Identifier: Apache-2.0
// Kernels of CountNonZero and NonZero, best first, for every dtype by its element size and whether its zeros have signs.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList non_zero_kernels() noexcept;

}  // namespace anydim
