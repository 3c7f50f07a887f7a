// SPDX-License-Identifier: Apache-2.0
// The OpenCL engine's kernels: one list for each family, best first, and the table of them all.
#pragma once

#include <span>

#include "core/engines/kernel_table.h"
#include "core/kernels/device_kernel.h"

namespace anydim::opencl {

using DeviceKernelList = std::span<const DeviceKernel* const>;

DeviceKernelList conv_group_kernels();
DeviceKernelList conv_kernels();
DeviceKernelList gemm_kernels();
DeviceKernelList eltwise_kernels();
DeviceKernelList mover_kernels();
DeviceKernelList reduction_kernels();
DeviceKernelList typed_kernels();
DeviceKernelList window_kernels();

// Of all devices; what one of them lacks its engine says.
const KernelTable& opencl_kernels();

}  // namespace anydim::opencl
