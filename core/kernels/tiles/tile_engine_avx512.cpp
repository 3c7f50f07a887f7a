// SPDX-License-Identifier: Apache-2.0
// The tile engine in AVX-512.
#include <cstdint>
#include <utility>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/simd/avx512.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim::avx512 {
namespace {

// Half a vector, for tiles 24 and 8 wide: what the microkernels use of F32, with AVX-512's masks.
struct Half {
  __m256 v;
  static Half zero() { return {_mm256_setzero_ps()}; }
  static Half set(float x) { return {_mm256_set1_ps(x)}; }
  static Half load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static Half load_partial(const float* p, int n) { return {_mm256_maskz_loadu_ps(static_cast<__mmask8>((1u << n) - 1), p)}; }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  void store_partial(float* p, int n) const { _mm256_mask_storeu_ps(p, static_cast<__mmask8>((1u << n) - 1), v); }
};
inline Half operator+(Half a, Half b) { return {_mm256_add_ps(a.v, b.v)}; }
inline Half fma(Half a, Half b, Half c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
inline Half pick_greater(Half a, Half b) { return {_mm256_max_ps(a.v, b.v)}; }
constexpr bool kHasHalf = true;
inline Half lower_half(F32 x) { return {_mm512_castps512_ps256(x.v)}; }
inline F32 with_zeros(Half x) { return {_mm512_zextps256_ps512(x.v)}; }

// Rows of tiles that are 1, 2, 4 and 8 vectors wide.
constexpr int kTileRows[4] = {28, 14, 6, 3};
constexpr int kPrefetchRows = 8;  // how far ahead panels are fetched, in k

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"
#include "core/kernels/tiles/tile_engine.inl.h"

namespace anydim::avx512 {
namespace {

constexpr TileEngine kEngine{kW, kHasHalf ? kW / 2 : kW, kTileRows[1], kTileRows[2], kTileRows[0], run_job, pack_panels, run_epilogue};

}  // namespace
}  // namespace anydim::avx512

namespace anydim {

constinit const TileEngine TileEngine::avx512 = avx512::kEngine;

}  // namespace anydim
