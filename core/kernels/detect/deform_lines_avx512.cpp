// SPDX-License-Identifier: Apache-2.0
// A tap of deformable columns, avx512.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/detect/deform_lines.h"

namespace anydim {

namespace {
#include "core/kernels/simd/avx512.h"
// The vector type first.
#include "core/kernels/detect/deform_lines.inl.h"
}  // namespace

void deform_lines_avx512(const DeformLine& line) noexcept { deform_lines(line); }

}  // namespace anydim
