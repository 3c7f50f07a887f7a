// SPDX-License-Identifier: Apache-2.0
// A tap of deformable columns, avx2.
#include "core/kernels/detect/deform_lines.inl.h"

namespace anydim {

void DeformLines::avx2(const DeformLine& line) noexcept { avx2::deform_lines(line); }

}  // namespace anydim
