// SPDX-License-Identifier: Apache-2.0
// Resize kernels: nearest as copies for any dtype, linear and cubic line by line in vectors, and the reference for
// everything. Rules in docs/numerics.md section 6.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList resize_kernels() noexcept;

}  // namespace anydim
