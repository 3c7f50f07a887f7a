// SPDX-License-Identifier: Apache-2.0
// Movers by indices found in data (gather, scatter, one-hot, topk) and makers of simple patterns (range, shape tensor,
// triangles, diagonals), for any dtype by its element size and any strides. The fast ones lie beside the references.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList gather_kernels() noexcept;

}  // namespace anydim
