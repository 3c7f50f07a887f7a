// SPDX-License-Identifier: Apache-2.0
// The maximum over windows of quantized values. Not for anybody outside pool/.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

extern const HostKernel* const kPoolBytes;
KernelList pool_indices_list() noexcept;  // of binary32, with indices

}  // namespace anydim
