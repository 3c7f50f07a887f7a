// SPDX-License-Identifier: Apache-2.0
// The functions that compute in binary64, avx512.
#include "core/kernels/eltwise/lanes.inl.h"

namespace anydim {

constinit const LaneFunctions LaneFunctions::avx512 = avx512::kLaneFunctions;

}  // namespace anydim
