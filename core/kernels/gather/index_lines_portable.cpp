// SPDX-License-Identifier: Apache-2.0
// Lines of indices as places, portable.
#include "core/kernels/gather/index_lines.inl.h"

namespace anydim {

bool FindPlaces::portable(const IndexLine& line, int64_t* places) noexcept { return portable::find_places(line, places); }

}  // namespace anydim
