// SPDX-License-Identifier: Apache-2.0
// Reductions on f32, portable.
#include <cmath>

#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/reduce/strips.h"

namespace anydim {
namespace {
#include "core/kernels/simd/portable.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/reduce/lanes.inl.h"
#include "core/kernels/reduce/strips.inl.h"
}  // namespace

void reduce_strip_portable(const ReduceStrip& strip) noexcept { reduce_strip(strip); }

}  // namespace anydim
