// SPDX-License-Identifier: Apache-2.0
// The integer engine in AVX2: two products of 16-bit numbers per lane and instruction. Its products of bytes saturate in pairs, so they
// are of no use.
#include <immintrin.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/quantized/int_engine.h"

namespace anydim {
namespace {

#include "core/kernels/simd/avx2.h"

struct Sums {
  static constexpr int kVectors = 2, kWidth = 8, kRows = 6;
  using Number = int16_t;
  using Packed = int16_t;
  static constexpr int32_t kShift = 0, kPackedShift = 0;
  __m256i v;
  static Sums zero() { return {_mm256_setzero_si256()}; }
  static Sums load(const std::byte* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
  static Sums broadcast(const std::byte* p) {
    int32_t x;
    __builtin_memcpy(&x, p, sizeof x);
    return {_mm256_set1_epi32(x)};
  }
  void dot(Sums a, Sums w) { v = _mm256_add_epi32(v, _mm256_madd_epi16(a.v, w.v)); }
  void store(int32_t* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }

  // Taps of a channel lie 32 channels apart.
  static int64_t depthwise_place(int64_t step, int64_t channel, int64_t tap) { return (step * 2 + tap) * kIntColumns + channel; }
  template <bool Signed>
  static void depthwise(const std::byte* const* taps, int64_t first, int64_t steps, const std::byte* w, int64_t channels, int32_t* to) {
    alignas(64) int32_t acc[kIntColumns] = {};
    const auto* weights = reinterpret_cast<const int16_t*>(w);
    using From = std::conditional_t<Signed, int8_t, uint8_t>;
    for (int64_t t = 0; t < 2 * steps; ++t, weights += kIntColumns) {
      const auto* a = reinterpret_cast<const From*>(taps[t]) + first;
      if (channels >= kIntColumns) {
        for (int c = 0; c < kIntColumns; ++c) acc[c] += a[c] * weights[c];
      } else {
        for (int64_t c = 0; c < channels; ++c) acc[c] += a[c] * weights[c];
      }
    }
    for (int c = 0; c < kIntColumns; ++c) to[c] = acc[c];
  }
};

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/epilogue.inl.h"
#include "core/kernels/quantized/int_tiles.inl.h"

constexpr IntEngine kEngine{"avx2",    Isa::avx2,  kPerStep,    Sums::kShift,  Sums::kPackedShift,
                            run_block, gather_row, pack_panels, pack_depthwise};

}  // namespace

const IntEngine& int_engine_avx2() noexcept { return kEngine; }

}  // namespace anydim
