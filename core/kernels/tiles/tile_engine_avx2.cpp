// SPDX-License-Identifier: Apache-2.0
// The tile engine in AVX2 and FMA.
#include <cstdint>
#include <utility>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/simd/avx2.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim::avx2 {
namespace {

using Half = F32;  // half vectors would not be faster
constexpr bool kHasHalf = false;
inline Half lower_half(F32 x) { return x; }
inline F32 with_zeros(Half x) { return x; }

// Rows of tiles that are 1, 2, 4 and 8 vectors wide.
constexpr int kTileRows[4] = {12, 6, 3, 1};
constexpr int kPrefetchRows = 16;  // how far ahead panels are fetched, in k

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"
#include "core/kernels/tiles/tile_engine.inl.h"

namespace anydim::avx2 {
namespace {

constexpr TileEngine kEngine{kW, kHasHalf ? kW / 2 : kW, kTileRows[1], kTileRows[1], kTileRows[0], run_job, pack_panels, run_epilogue};

}  // namespace
}  // namespace anydim::avx2

namespace anydim {

constinit const TileEngine TileEngine::avx2 = avx2::kEngine;

}  // namespace anydim
