// SPDX-License-Identifier: Apache-2.0
// The tile engine in plain C++.
#include "core/kernels/tiles/tile_engine.h"

#include "core/kernels/eltwise/functions.h"

#include <cmath>
#include <cstdint>
#include <utility>

namespace anydim {
namespace {

#include "core/kernels/simd/portable.h"

using Half = F32;  // half vectors would not be faster
constexpr bool kHasHalf = false;
inline Half lower_half(F32 x) { return x; }
inline F32 with_zeros(Half x) { return x; }

// Rows of tiles that are 1, 2, 4 and 8 vectors wide.
constexpr int kTileRows[4] = {4, 4, 2, 1};
constexpr int kPrefetchRows = 8;  // how far ahead panels are fetched, in k

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"

constexpr auto run_epilogue = run_epilogue_portable;
#include "core/kernels/tiles/tile_engine.inl.h"

constexpr TileEngine kEngine{"portable", Isa::portable, kW,          kHasHalf ? kW / 2 : kW, kTileRows[1], kTileRows[1], kTileRows[0],
                             run_job,    pack_panels,   run_epilogue};

}  // namespace

const TileEngine& tile_engine_portable() noexcept { return kEngine; }

}  // namespace anydim
