// SPDX-License-Identifier: Apache-2.0
// Lines of indices as places, avx2.
#include "core/kernels/gather/index_lines.inl.h"

namespace anydim {

bool FindPlaces::avx2(const IndexLine& line, int64_t* places) noexcept { return avx2::find_places(line, places); }

}  // namespace anydim
