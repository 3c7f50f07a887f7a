// SPDX-License-Identifier: Apache-2.0
// The tile engine in AVX-512.
#include "core/kernels/gemm/tile_engine.h"

#include "core/kernels/eltwise/functions.h"

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <cstdint>
#include <utility>

namespace anydim {
namespace {

#include "core/kernels/simd/avx512.h"

// Rows of tiles that are 1, 2, 4 and 8 vectors wide.
constexpr int kTileRows[4] = {28, 14, 6, 3};
constexpr int kPrefetchRows = 8;  // how far ahead panels are fetched, in k

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/epilogue/epilogue.inl.h"
#include "core/kernels/gemm/tile_engine.inl.h"

constexpr TileEngine kEngine{"avx512", Isa::avx512, kW, kTileRows[1], kTileRows[0], run_job, pack_panels};

}  // namespace

const TileEngine& tile_engine_avx512() noexcept { return kEngine; }

}  // namespace anydim
