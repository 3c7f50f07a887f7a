// SPDX-License-Identifier: Apache-2.0
// Lines of indices as places, portable.
#include "core/kernels/gather/index_lines.inl.h"

namespace anydim {

constinit const IndexSteps IndexSteps::portable = portable::kIndexSteps;

}  // namespace anydim
