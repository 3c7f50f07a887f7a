// SPDX-License-Identifier: Apache-2.0
// The tile engine of math mode reduced in AVX2 and FMA: multiply-adds of binary32 on numbers that are bf16.
#include <immintrin.h>

#include <cstdint>
#include <utility>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim {
namespace {

#include "core/kernels/simd/avx2.h"
#include "core/kernels/tiles/flushed_denormals.inl.h"

constexpr int kReducedRows = 6;
inline F32 flushed_fma(F32 a, F32 b, F32 c) { return fma(a, b, c); }
inline F32 flushed_sum(F32 a, F32 b) { return a + b; }
inline __m256i words(const uint32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
inline F32 upper_numbers(const uint32_t* p) {
  return {_mm256_castsi256_ps(_mm256_and_si256(words(p), _mm256_set1_epi32(static_cast<int>(0xffff0000u))))};
}
inline F32 lower_numbers(const uint32_t* p) { return {_mm256_castsi256_ps(_mm256_slli_epi32(words(p), 16))}; }

constexpr auto run_epilogue = run_epilogue_avx2;
#include "core/kernels/tiles/reduced_fma.inl.h"
#include "core/kernels/tiles/reduced_engine.inl.h"

constexpr TileEngine kEngine{"avx2",      Isa::avx2,    kW,           kW,                kReducedRows, kReducedRows, kReducedRows,
                             run_reduced, pack_reduced, run_epilogue, MathMode::reduced, scratch_bytes, round_left, sizeof(LeftNumber)};

}  // namespace

const TileEngine& reduced_engine_avx2() noexcept { return kEngine; }

}  // namespace anydim
