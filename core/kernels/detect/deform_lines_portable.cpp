// SPDX-License-Identifier: Apache-2.0
// A tap of deformable columns, portable.
#include "core/kernels/detect/deform_lines.inl.h"

namespace anydim {

void DeformLines::portable(const DeformLine& line) noexcept { portable::deform_lines(line); }

}  // namespace anydim
