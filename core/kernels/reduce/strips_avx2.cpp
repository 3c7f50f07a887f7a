// SPDX-License-Identifier: Apache-2.0
// Reductions on f32, avx2.
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/reduce/lanes.inl.h"
#include "core/kernels/reduce/strips.inl.h"

namespace anydim {

void ReduceOfStrip::avx2(const ReduceStrip& strip) noexcept { avx2::reduce_strip(strip); }

}  // namespace anydim
