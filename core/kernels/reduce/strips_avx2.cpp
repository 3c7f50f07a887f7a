// SPDX-License-Identifier: Apache-2.0
// Reductions on f32, avx2.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/reduce/strips.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx2.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/reduce/lanes.inl.h"
#include "core/kernels/reduce/strips.inl.h"
}  // namespace

void reduce_strip_avx2(const ReduceStrip& strip) noexcept { reduce_strip(strip); }

}  // namespace anydim
