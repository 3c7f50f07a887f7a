// SPDX-License-Identifier: Apache-2.0
// Numbers of few bits, widened in registers, in AVX-512.
#include <cstdint>
#include <utility>

#include "core/kernels/compressed_matmul/numbers_engine.h"
#include "core/kernels/simd/avx512.h"

namespace anydim::avx512 {
namespace {

constexpr int kTileOfRows = 6;  // sums and what they are made of stay in registers
constexpr bool kUnrollsWords = true;
constexpr int kAhead = 2048;  // bytes that are fetched before they are read
// (x & mask) | fill.
inline F32 splice(F32::Int x, int32_t mask, int32_t fill) {
  return {_mm512_castsi512_ps(_mm512_ternarylogic_epi32(x.v, _mm512_set1_epi32(mask), _mm512_set1_epi32(fill), 0xEA))};
}
// Differences of the numbers 0 to 15 and a zero point, found by the lowest 4 bits of a lane.
constexpr bool kHasTable = true;
struct Table {
  F32 v;
  explicit Table(float zero)
      : v{_mm512_sub_ps(_mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), _mm512_set1_ps(zero))} {}
  F32 operator[](F32::Int x) const { return {_mm512_permutexvar_ps(x.v, v.v)}; }
  // In a register: the compiler would read it from memory again.
  static F32::Int kept(F32::Int x) {
    __asm__("" : "+v"(x.v));
    return x;
  }
};

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/compressed_matmul/numbers.inl.h"

namespace anydim::avx512 {
namespace {

constexpr NumbersEngine kEngine{&TileEngine::avx512, few_rows, widen};

}  // namespace
}  // namespace anydim::avx512

namespace anydim {

constinit const NumbersEngine NumbersEngine::avx512 = avx512::kEngine;

}  // namespace anydim
