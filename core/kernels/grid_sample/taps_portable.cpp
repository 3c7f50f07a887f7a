// SPDX-License-Identifier: Apache-2.0
// GridSample by taps, portable.
#include "core/kernels/grid_sample/taps.inl.h"

namespace anydim {

void GridTapsOf::portable(const GridTapsJob& job) noexcept { portable::points_of_taps(job); }

}  // namespace anydim
