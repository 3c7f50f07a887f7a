// SPDX-License-Identifier: Apache-2.0
// GridSample by taps, avx2.
#include "core/kernels/grid_sample/taps.inl.h"

namespace anydim {

void GridTapsOf::avx2(const GridTapsJob& job) noexcept { avx2::points_of_taps(job); }

}  // namespace anydim
