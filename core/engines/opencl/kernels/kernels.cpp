// SPDX-License-Identifier: Apache-2.0
// The table of the OpenCL engine's kernels; see kernels.h.
#include "core/engines/opencl/kernels/kernels.h"

namespace anydim::opencl {

const KernelTable& opencl_kernels() {
  static const KernelTable* const table = [] {
    auto* all = new KernelTable();
    for (const DeviceKernelList list : {conv_group_kernels(), conv_kernels(), gemm_kernels(), eltwise_kernels(), mover_kernels(),
                                        reduction_kernels(), typed_kernels(), window_kernels()})
      for (const DeviceKernel* kernel : list) all->add(*kernel);
    return all;
  }();
  return *table;
}

}  // namespace anydim::opencl
