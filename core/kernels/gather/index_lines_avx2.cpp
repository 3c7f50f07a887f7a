// SPDX-License-Identifier: Apache-2.0
// Lines of indices as places, avx2.
#include "core/kernels/gather/index_lines.h"

namespace anydim {
namespace {

#include "core/kernels/gather/index_lines.inl.h"

}  // namespace

constinit const FindPlaces kFindPlacesAvx2 = find_places;

}  // namespace anydim
