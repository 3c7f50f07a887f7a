// SPDX-License-Identifier: Apache-2.0
// Lines of indices as places, portable.
#include "core/kernels/gather/index_lines.h"

namespace anydim {
namespace {

#include "core/kernels/gather/index_lines.inl.h"

}  // namespace

constinit const FindPlaces kFindPlacesPortable = find_places;

}  // namespace anydim
