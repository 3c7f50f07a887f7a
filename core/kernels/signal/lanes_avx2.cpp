// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of 4 lines at once with AVX2: the body is lanes.inl.h.
#include "core/kernels/signal/lanes.inl.h"

namespace anydim {

constinit const ManyLines ManyLines::avx2 = {avx2::kLanes, avx2::transform_lanes};

}  // namespace anydim
