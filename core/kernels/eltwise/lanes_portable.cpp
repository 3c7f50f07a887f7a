// SPDX-License-Identifier: Apache-2.0
// The functions that compute in binary64, portable.
#include "core/kernels/eltwise/lanes.inl.h"

namespace anydim {

constinit const LaneFunctions LaneFunctions::portable = portable::kLaneFunctions;

}  // namespace anydim
