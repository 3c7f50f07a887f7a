// SPDX-License-Identifier: Apache-2.0
// Kernels of GridSample, best first.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList grid_sample_kernels() noexcept;
extern const HostKernel* const kGridSampleReference;  // takes what all others take

}  // namespace anydim
