// SPDX-License-Identifier: Apache-2.0
// Tiles of products of integers, avx512.
#include "core/kernels/matmul/integer_tiles.inl.h"

namespace anydim {

constinit const IntegerTiles IntegerTiles::avx512 = avx512::kIntegerTiles;

}  // namespace anydim
