// SPDX-License-Identifier: Apache-2.0
// The tile engine in plain C++.
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/simd/portable.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim::portable {
namespace {

using Half = F32;  // half vectors would not be faster
constexpr bool kHasHalf = false;
inline Half lower_half(F32 x) { return x; }
inline F32 with_zeros(Half x) { return x; }

// Rows of tiles that are 1, 2, 4 and 8 vectors wide.
constexpr int kTileRows[4] = {4, 4, 2, 1};
constexpr int kPrefetchRows = 8;  // how far ahead panels are fetched, in k

}  // namespace
}  // namespace anydim::portable

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"
#include "core/kernels/tiles/tile_engine.inl.h"

namespace anydim::portable {
namespace {

constexpr TileEngine kEngine{kW, kHasHalf ? kW / 2 : kW, kTileRows[1], kTileRows[1], kTileRows[0], run_job, pack_panels, run_epilogue};

}  // namespace
}  // namespace anydim::portable

namespace anydim {

constinit const TileEngine TileEngine::portable = portable::kEngine;

}  // namespace anydim
