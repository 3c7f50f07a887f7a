// SPDX-License-Identifier: Apache-2.0
// The functions that compute in binary64, avx2.
#include "core/kernels/eltwise/lanes.inl.h"

namespace anydim {

constinit const LaneFunctions LaneFunctions::avx2 = avx2::kLaneFunctions;

}  // namespace anydim
