// SPDX-License-Identifier: Apache-2.0
// The maximum over windows with its index, avx512.
#include "core/kernels/pool/index_lanes.inl.h"

namespace anydim {

void IndexLanes::avx512(const IndexPool& p, const int32_t* x, const IndexWindows& windows, IndexBest* best) noexcept {
  avx512::index_lanes(p, x, windows, best);
}

}  // namespace anydim
