// SPDX-License-Identifier: Apache-2.0
// A tap of deformable columns, avx512.
#include "core/kernels/detect/deform_lines.inl.h"

namespace anydim {

constinit const DeformLines DeformLines::avx512 = avx512::kDeformLines;

}  // namespace anydim
