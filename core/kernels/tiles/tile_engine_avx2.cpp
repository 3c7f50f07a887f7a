// SPDX-License-Identifier: Apache-2.0
// The tile engine in AVX2 and FMA.
#include "core/kernels/tiles/tile_engine.h"

#include "core/kernels/eltwise/functions.h"

#include <immintrin.h>

#include <cstdint>
#include <utility>

namespace anydim {
namespace {

#include "core/kernels/simd/avx2.h"

using Half = F32;  // half vectors would not be faster
constexpr bool kHasHalf = false;
inline Half lower_half(F32 x) { return x; }
inline F32 with_zeros(Half x) { return x; }

// Rows of tiles that are 1, 2, 4 and 8 vectors wide.
constexpr int kTileRows[4] = {12, 6, 3, 1};
constexpr int kPrefetchRows = 16;  // how far ahead panels are fetched, in k

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"

constexpr auto run_epilogue = run_epilogue_avx2;
#include "core/kernels/tiles/tile_engine.inl.h"

constexpr TileEngine kEngine{"avx2",  Isa::avx2,   kW,          kHasHalf ? kW / 2 : kW, kTileRows[1], kTileRows[1], kTileRows[0],
                             run_job, pack_panels, run_epilogue};

}  // namespace

const TileEngine& tile_engine_avx2() noexcept { return kEngine; }

}  // namespace anydim
