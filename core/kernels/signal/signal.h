// SPDX-License-Identifier: Apache-2.0
// Kernels of signals, determinants and random numbers.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList signal_kernels() noexcept;

// One file each.
extern const HostKernel* const kDft;
extern const HostKernel* const kDet;
extern const HostKernel* const kRandomUniform;

}  // namespace anydim
