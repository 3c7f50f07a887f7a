// SPDX-License-Identifier: Apache-2.0
// Nearest resize as copies: any dtype, rank and strides. One index table per resized axis; runs that are contiguous on
// both sides (the channels of a pixel) are copied whole, and so are output rows equal to the one before.
#pragma once

#include "core/kernels/kernel.h"
#include "core/ops/operators/resize.h"

namespace anydim {

int64_t nearest_scratch(const Dims& out) noexcept;
void run_nearest(const Args& args) noexcept;

}  // namespace anydim
