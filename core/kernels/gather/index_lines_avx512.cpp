// SPDX-License-Identifier: Apache-2.0
// Lines of indices as places, avx512.
#include "core/kernels/gather/index_lines.h"

namespace anydim {
namespace {

#include "core/kernels/gather/index_lines.inl.h"

}  // namespace

constinit const FindPlaces kFindPlacesAvx512 = find_places;

}  // namespace anydim
