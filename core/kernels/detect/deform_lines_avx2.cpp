// SPDX-License-Identifier: Apache-2.0
// A tap of deformable columns, avx2.
#include "core/kernels/detect/deform_lines.inl.h"

namespace anydim {

constinit const DeformLines DeformLines::avx2 = avx2::kDeformLines;

}  // namespace anydim
