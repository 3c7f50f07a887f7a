// SPDX-License-Identifier: Apache-2.0
// The maximum over windows of 8-bit numbers. Not for anybody outside pool/.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

extern const HostKernel* const kPoolBytes;

}  // namespace anydim
