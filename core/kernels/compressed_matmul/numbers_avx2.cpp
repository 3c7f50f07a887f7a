// SPDX-License-Identifier: Apache-2.0
// Numbers of few bits, widened in registers, in AVX2.
#include <cstdint>
#include <utility>

#include "core/kernels/compressed_matmul/numbers_engine.h"
#include "core/kernels/simd/avx2.h"

namespace anydim::avx2 {
namespace {

constexpr int kTileOfRows = 4;  // sums and what they are made of stay in registers
constexpr bool kUnrollsWords = true;
constexpr int kAhead = 1024;  // bytes that are fetched before they are read
// (x & mask) | fill.
inline F32 splice(F32::Int x, int32_t mask, int32_t fill) {
  return {_mm256_castsi256_ps(_mm256_or_si256(_mm256_and_si256(x.v, _mm256_set1_epi32(mask)), _mm256_set1_epi32(fill)))};
}
// No table of 16 numbers.
constexpr bool kHasTable = false;
struct Table {
  explicit Table(float) {}
  F32 operator[](F32::Int) const { return F32::zero(); }
  static F32::Int kept(F32::Int x) { return x; }
};

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/compressed_matmul/numbers.inl.h"

namespace anydim::avx2 {
namespace {

constexpr NumbersEngine kEngine{&TileEngine::avx2, few_rows, widen};

}  // namespace
}  // namespace anydim::avx2

namespace anydim {

constinit const NumbersEngine NumbersEngine::avx2 = avx2::kEngine;

}  // namespace anydim
