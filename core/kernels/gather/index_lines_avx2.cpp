// SPDX-License-Identifier: Apache-2.0
// Lines of indices as places, avx2.
#include "core/kernels/gather/index_lines.inl.h"

namespace anydim {

constinit const IndexSteps IndexSteps::avx2 = avx2::kIndexSteps;

}  // namespace anydim
