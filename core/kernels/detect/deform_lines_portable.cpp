// SPDX-License-Identifier: Apache-2.0
// A tap of deformable columns, portable.
#include "core/kernels/detect/deform_lines.inl.h"

namespace anydim {

constinit const DeformLines DeformLines::portable = portable::kDeformLines;

}  // namespace anydim
