// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: every group has one input channel, or two, four or eight and as many output channels. Vectors run over
// channels, so channels last is the fast order; what each output element is, is docs/numerics.md section 1, and its reference is
// conv/reference.cpp.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList depthwise_kernels() noexcept;

}  // namespace anydim
