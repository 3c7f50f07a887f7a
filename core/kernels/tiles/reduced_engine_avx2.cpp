// SPDX-License-Identifier: Apache-2.0
// The tile engine of math mode reduced in AVX2 and FMA: multiply-adds of binary32 on numbers that are bf16.
#include <cstdint>

#include "core/kernels/simd/avx2.h"
#include "core/kernels/tiles/flushed_denormals.inl.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim::avx2 {
namespace {

constexpr int kReducedRows = 6;
inline F32 flushed_fma(F32 a, F32 b, F32 c) { return fma(a, b, c); }
inline F32 flushed_sum(F32 a, F32 b) { return a + b; }
inline __m256i words(const uint32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
inline F32 upper_numbers(const uint32_t* p) {
  return {_mm256_castsi256_ps(_mm256_and_si256(words(p), _mm256_set1_epi32(static_cast<int>(0xffff0000u))))};
}
inline F32 lower_numbers(const uint32_t* p) { return {_mm256_castsi256_ps(_mm256_slli_epi32(words(p), 16))}; }

// As bf16_word (bf16.h).
inline __m256i bf16_words(F32 x) {
  const __m256i word = _mm256_castps_si256(x.v), magnitude = _mm256_and_si256(word, _mm256_set1_epi32(0x7fffffff));
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(word, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(word, _mm256_set1_epi32(0x7fff)), odd);
  const __m256i nan = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000));
  const __m256i denormal = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x00800000), magnitude);
  const __m256i quiet = _mm256_or_si256(word, _mm256_set1_epi32(0x00400000));
  const __m256i sign = _mm256_and_si256(word, _mm256_set1_epi32(static_cast<int>(0x80000000u)));
  const __m256i number = _mm256_blendv_epi8(_mm256_blendv_epi8(rounded, quiet, nan), sign, denormal);
  return _mm256_and_si256(number, _mm256_set1_epi32(static_cast<int>(0xffff0000u)));
}
inline F32 pair_words(F32 upper, F32 lower) {
  return {_mm256_castsi256_ps(_mm256_or_si256(bf16_words(upper), _mm256_srli_epi32(bf16_words(lower), 16)))};
}

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/tiles/reduced_fma.inl.h"
#include "core/kernels/tiles/reduced_engine.inl.h"

namespace anydim {

constinit const TileEngine ReducedTileEngine::avx2 = {
    avx2::kW,           avx2::kW,           avx2::kReducedRows, avx2::kReducedRows,  avx2::kReducedRows, avx2::run_reduced,
    avx2::pack_reduced, avx2::run_epilogue, MathMode::reduced,  avx2::scratch_bytes, avx2::round_left,   sizeof(avx2::LeftNumber)};

}  // namespace anydim
