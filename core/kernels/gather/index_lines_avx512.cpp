// SPDX-License-Identifier: Apache-2.0
// Lines of indices as places, avx512.
#include "core/kernels/gather/index_lines.inl.h"

namespace anydim {

constinit const IndexSteps IndexSteps::avx512 = avx512::kIndexSteps;

}  // namespace anydim
