// SPDX-License-Identifier: Apache-2.0
// Softmax and layer norm on f32, portable.
#include "core/kernels/norm/rows.inl.h"

namespace anydim {

constinit const NormFunctions NormFunctions::portable = portable::kNormFunctions;

}  // namespace anydim
