// SPDX-License-Identifier: Apache-2.0
// Tiles of products of integers, portable.
#include "core/kernels/matmul/integer_tiles.inl.h"

namespace anydim {

constinit const IntegerTiles IntegerTiles::portable = portable::kIntegerTiles;

}  // namespace anydim
