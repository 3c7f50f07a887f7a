// SPDX-License-Identifier: Apache-2.0
// Numbers of few bits, widened in registers, in AVX-512.
// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <cstdint>
#include <utility>

#include "core/kernels/compressed_matmul/numbers_engine.h"

namespace anydim {
namespace {

#include "core/kernels/simd/avx512.h"

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

#include "core/kernels/compressed_matmul/numbers.inl.h"

constexpr NumbersEngine kEngine{"avx512", Isa::avx512, tile_engine_avx512, few_rows, widen};

}  // namespace

const NumbersEngine& numbers_engine_avx512() noexcept { return kEngine; }

}  // namespace anydim
