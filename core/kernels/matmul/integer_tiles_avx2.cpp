// SPDX-License-Identifier: Apache-2.0
// Tiles of products of integers, avx2.
#include "core/kernels/matmul/integer_tiles.inl.h"

namespace anydim {

constinit const IntegerTiles IntegerTiles::avx2 = avx2::kIntegerTiles;

}  // namespace anydim
