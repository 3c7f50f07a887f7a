// SPDX-License-Identifier: Apache-2.0
// The data movers that are strided copies: transpose (and change of layout), reshape, expand, slice, concat, pad, tile,
// depth to space. Any dtype by its element size, any strides; they copy bits.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList copy_kernels() noexcept;

}  // namespace anydim
