// SPDX-License-Identifier: Apache-2.0
// Reductions on f32, portable.
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/reduce/lanes.inl.h"
#include "core/kernels/reduce/strips.inl.h"

namespace anydim {

void ReduceOfStrip::portable(const ReduceStrip& strip) noexcept { portable::reduce_strip(strip); }

}  // namespace anydim
