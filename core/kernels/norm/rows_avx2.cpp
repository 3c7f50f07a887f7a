// SPDX-License-Identifier: Apache-2.0
// Softmax and layer norm on f32, avx2.
#include "core/kernels/norm/rows.inl.h"

namespace anydim {

constinit const NormFunctions NormFunctions::avx2 = avx2::kNormFunctions;

}  // namespace anydim
