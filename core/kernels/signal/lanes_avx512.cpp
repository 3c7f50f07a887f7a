// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of 8 lines at once with AVX-512: the body is lanes.inl.h.
#include "core/kernels/signal/lanes.inl.h"

namespace anydim {

constinit const ManyLines ManyLines::avx512 = {avx512::kLanes, avx512::transform_lanes};

}  // namespace anydim
