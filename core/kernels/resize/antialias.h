// SPDX-License-Identifier: Apache-2.0
// The kernel of linear and cubic resize with antialias.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

extern const HostKernel* const kResizeAntialias;

}  // namespace anydim
