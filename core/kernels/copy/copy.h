// SPDX-License-Identifier: Apache-2.0
// The data movers that are strided copies: transpose (and change of layout), reshape, expand, slice, concat, pad, tile,
// depth to space. Any dtype by its element size, any strides; they copy bits.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList copy_kernels() noexcept;
// Bits as another dtype, where their bytes may be copied; one of the eltwise family, before its reference.
extern const HostKernel* const kBitCastCopy;

}  // namespace anydim
