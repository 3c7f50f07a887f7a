// SPDX-License-Identifier: Apache-2.0
// Kernels of Unique, best first.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList unique_kernels() noexcept;
extern const HostKernel* const kUniqueHashed;

}  // namespace anydim
