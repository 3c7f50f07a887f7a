// SPDX-License-Identifier: Apache-2.0
// Lines of indices as places, avx512.
#include "core/kernels/gather/index_lines.inl.h"

namespace anydim {

bool FindPlaces::avx512(const IndexLine& line, int64_t* places) noexcept { return avx512::find_places(line, places); }

}  // namespace anydim
