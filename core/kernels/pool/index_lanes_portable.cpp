// SPDX-License-Identifier: Apache-2.0
// The maximum over windows with its index, portable.
#include "core/kernels/pool/index_lanes.inl.h"

namespace anydim {

void IndexLanes::portable(const IndexPool& p, const int32_t* x, const IndexWindows& windows, IndexBest* best) noexcept {
  portable::index_lanes(p, x, windows, best);
}

}  // namespace anydim
