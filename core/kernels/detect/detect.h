// SPDX-License-Identifier: Apache-2.0
// Kernels of what detectors need beside convolutions: regions, boxes, columns at offsets, and columns summed to images.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList detect_kernels() noexcept;

// One file each.
extern const HostKernel* const kNonMaxSuppression;
extern const HostKernel* const kDeformColumns;  // the reference
KernelList deform_forms() noexcept;
extern const HostKernel* const kFold;  // the reference
KernelList fold_forms() noexcept;
std::span<const HostKernel* const> roi_align_kernels() noexcept;

}  // namespace anydim
