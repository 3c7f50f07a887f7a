// SPDX-License-Identifier: Apache-2.0
// Softmax and layer norm on f32, avx512.
#include "core/kernels/norm/rows.inl.h"

namespace anydim {

constinit const NormFunctions NormFunctions::avx512 = avx512::kNormFunctions;

}  // namespace anydim
