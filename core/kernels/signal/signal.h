// SPDX-License-Identifier: Apache-2.0
// Kernels of signals, determinants and random numbers.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList dft_kernels() noexcept;  // dft.cpp: several lines at once, and last a line at a time

KernelList det_kernels() noexcept;  // det.cpp
KernelList signal_kernels() noexcept;
extern const HostKernel* const kRandomUniform;

}  // namespace anydim
