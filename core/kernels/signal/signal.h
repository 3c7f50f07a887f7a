// SPDX-License-Identifier: Apache-2.0
// Kernels of signals, determinants and random numbers.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList signal_kernels() noexcept;

// One file each.
extern const HostKernel* const kDft;  // a line at a time
#if defined(__x86_64__)
extern const HostKernel* const kDftOf4;
extern const HostKernel* const kDftOf8;
#endif
extern const HostKernel* const kDet;
extern const HostKernel* const kRandomUniform;

}  // namespace anydim
