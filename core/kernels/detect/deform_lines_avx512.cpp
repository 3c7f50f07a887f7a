// SPDX-License-Identifier: Apache-2.0
// A tap of deformable columns, avx512.
#include "core/kernels/detect/deform_lines.inl.h"

namespace anydim {

void DeformLines::avx512(const DeformLine& line) noexcept { avx512::deform_lines(line); }

}  // namespace anydim
