// SPDX-License-Identifier: Apache-2.0
// Pooling kernels: maximum and average over windows, any strides; vectors run over channels, so channels last is the
// fast order. Rules in docs/numerics.md section 5.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList pool_kernels() noexcept;

}  // namespace anydim
