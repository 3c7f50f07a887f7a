// SPDX-License-Identifier: Apache-2.0
// Movers by indices found in data (gather, scatter, one-hot, topk) and makers of simple patterns (range, shape tensor,
// triangles, diagonals). Plain C++: none is hot in the models we know, and large gathers are copies of slices.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList gather_kernels() noexcept;

}  // namespace anydim
