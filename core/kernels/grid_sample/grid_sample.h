// SPDX-License-Identifier: Apache-2.0
// Kernels of GridSample, best first.
#pragma once

#include "core/kernels/grid_sample/taps.h"
#include "core/kernels/kernel.h"

namespace anydim {

KernelList grid_sample_kernels() noexcept;
KernelList grid_taps_list() noexcept;  // linear and cubic
// What points.cpp leaves, of elements of 4 bytes; nearest, too.
void run_grid_taps(const Args& args, GridTapsOf::Function* points) noexcept;
extern const HostKernel* const kGridSampleReference;  // takes what all others take

}  // namespace anydim
