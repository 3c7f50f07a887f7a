// SPDX-License-Identifier: Apache-2.0
// The body of depthwise_lines.h with AVX2: a step is two numbers of 16 bits, whose products no instruction saturates. Sums of eight
// positions stay in registers, a vector of channels at a time, so that an entry is loaded once for all steps that read it.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/kernels/conv/bytes/depthwise_lines.h"
#include "core/kernels/conv/bytes/depthwise_vectors_avx2.h"

namespace anydim::avx2 {
namespace {

constexpr int kPositions = 8;
constexpr bool kSumsInMemory = true;
struct KernelRows;

struct Pairs : HalfVectors {
  static constexpr int64_t kTaps = 2;
  struct Position {
    Whole low, high;  // of 16 bits: channels 0 to 7 and 8 to 15 of each part
  };
  static Position position(Whole v, bool is_signed) {
    const Whole zero = _mm256_setzero_si256(), above = is_signed ? _mm256_cmpgt_epi8(zero, v) : zero;
    return {_mm256_unpacklo_epi8(v, above), _mm256_unpackhi_epi8(v, above)};
  }
  static void put(std::byte* to, const Position (&x)[kTaps]) {
    store(to, _mm256_unpacklo_epi16(x[0].low, x[1].low));
    store(to + kBytes, _mm256_unpackhi_epi16(x[0].low, x[1].low));
    store(to + 2 * kBytes, _mm256_unpacklo_epi16(x[0].high, x[1].high));
    store(to + 3 * kBytes, _mm256_unpackhi_epi16(x[0].high, x[1].high));
  }
  static Whole dot(Whole acc, Whole a, Whole w) { return _mm256_add_epi32(acc, _mm256_madd_epi16(a, w)); }
  // Of the vectors that have channels; what is left of `to` stays.
  static void sums(const DepthwiseLines& j, const KernelRows& rows, int64_t x, int32_t* to);
};

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/conv/bytes/depthwise_lines.inl.h"

namespace anydim::avx2 {
namespace {

// Rows of kSteps steps whose entries are kApart apart; 0: of any.
template <int kSteps, int kApart>
__attribute__((noinline)) void sums_of_eight(const DepthwiseLines& j, const KernelRows& rows, int64_t x, int32_t* to) {
  constexpr int64_t kEntry = kLineVectors * Pairs::kBytes;
  const int64_t vectors = j.channels >= 16 ? kLineVectors : (j.channels + 3) / 4;
  for (int64_t v = 0; v < vectors; ++v) {
    __m256i acc[kPositions];
#pragma GCC unroll 8
    for (auto& sum : acc) sum = Pairs::load(rows.first + 8 * v);
    for (int64_t k = 0; k < rows.count; ++k) {
      const std::byte *at = rows.list[k].line + x * kEntry + v * Pairs::kBytes, *w = rows.list[k].weights + v * Pairs::kBytes;
      if constexpr (kSteps > 0) {
        __m256i weights[kSteps];
#pragma GCC unroll 4
        for (int s = 0; s < kSteps; ++s) weights[s] = Pairs::load(w + s * kEntry);
#pragma GCC unroll 16
        for (int e = 0; e < kPositions + (kSteps - 1) * kApart; ++e) {
          const __m256i taps = Pairs::load(at + e * kEntry);
#pragma GCC unroll 4
          for (int s = 0; s < kSteps; ++s)
            if (e - s * kApart >= 0 && e - s * kApart < kPositions) acc[e - s * kApart] = Pairs::dot(acc[e - s * kApart], taps, weights[s]);
        }
      } else {
        for (int64_t s = 0; s < j.steps(); ++s, at += j.step_entries() * kEntry, w += kEntry) {
          const __m256i weights = Pairs::load(w);
#pragma GCC unroll 8
          for (int p = 0; p < kPositions; ++p) acc[p] = Pairs::dot(acc[p], Pairs::load(at + p * kEntry), weights);
        }
      }
    }
#pragma GCC unroll 8
    for (int p = 0; p < kPositions; ++p) Pairs::store(to + p * Pairs::kBytes + 8 * v, acc[p]);
  }
}
void Pairs::sums(const DepthwiseLines& j, const KernelRows& rows, int64_t x, int32_t* to) {
  const int64_t steps = j.steps(), apart = j.step_entries();
  if (steps == 2 && apart == 2) return sums_of_eight<2, 2>(j, rows, x, to);
  if (steps == 2 && apart == 1) return sums_of_eight<2, 1>(j, rows, x, to);
  if (steps == 3 && apart == 2) return sums_of_eight<3, 2>(j, rows, x, to);
  if (steps == 3 && apart == 1) return sums_of_eight<3, 1>(j, rows, x, to);
  sums_of_eight<0, 0>(j, rows, x, to);
}

void run_lines(const DepthwiseLines& job) noexcept { rows_of_tiles<Pairs>(job); }

}  // namespace
}  // namespace anydim::avx2

namespace anydim {

constinit const DepthwiseLinesForm DepthwiseLinesForm::avx2 = {
    avx2::run_lines, "depthwise.pair_steps32.twins.measured", 2, kNarrowChannels, 8, true, true};

}  // namespace anydim
