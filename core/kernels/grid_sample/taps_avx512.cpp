// SPDX-License-Identifier: Apache-2.0
// GridSample by taps, avx512.
#include "core/kernels/grid_sample/taps.inl.h"

namespace anydim {

void GridTapsOf::avx512(const GridTapsJob& job) noexcept { avx512::points_of_taps(job); }

}  // namespace anydim
