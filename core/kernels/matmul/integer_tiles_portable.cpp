// SPDX-License-Identifier: Apache-2.0
// Tiles of products of integers, portable.
#include <cstdint>
#include <cstring>

#include "core/kernels/matmul/integer_tiles.h"

namespace anydim {
namespace {
#include "core/kernels/matmul/integer_tiles.inl.h"
}  // namespace

constinit const IntegerTiles kIntegerTilesPortable = {{integer_tile<uint32_t>, integer_tile<uint64_t>},
                                                      {integer_dot<uint32_t>, integer_dot<uint64_t>}};

}  // namespace anydim
