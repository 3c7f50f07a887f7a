// SPDX-License-Identifier: Apache-2.0
// The body of depthwise_lines.h with AVX-VNNI: a step is four bytes. Sums of eight positions stay in registers, a vector of channels
// at a time, as with AVX2. Weights have no zero points (depthwise_lines.cpp refuses them).
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

struct Fours : HalfVectors {
  static constexpr int64_t kTaps = 4;
  using Position = Whole;
  static Position position(Whole v, bool is_signed) { return is_signed ? _mm256_xor_si256(v, bytes(0x80)) : v; }
  static void put(std::byte* to, const Position (&x)[kTaps]) {
    const Whole low_ab = _mm256_unpacklo_epi8(x[0], x[1]), high_ab = _mm256_unpackhi_epi8(x[0], x[1]);
    const Whole low_cd = _mm256_unpacklo_epi8(x[2], x[3]), high_cd = _mm256_unpackhi_epi8(x[2], x[3]);
    store(to, _mm256_unpacklo_epi16(low_ab, low_cd));
    store(to + kBytes, _mm256_unpackhi_epi16(low_ab, low_cd));
    store(to + 2 * kBytes, _mm256_unpacklo_epi16(high_ab, high_cd));
    store(to + 3 * kBytes, _mm256_unpackhi_epi16(high_ab, high_cd));
  }
  static Whole dot(Whole acc, Whole a, Whole w) { return _mm256_dpbusd_avx_epi32(acc, a, w); }
  static void sums(const DepthwiseLines& j, const KernelRows& rows, int64_t x, int32_t* to);
};

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/conv/bytes/depthwise_lines.inl.h"

namespace anydim::avx2 {
namespace {

void Fours::sums(const DepthwiseLines& j, const KernelRows& rows, int64_t x, int32_t* to) {
  constexpr int64_t kEntry = kLineVectors * kBytes;
  for (int64_t v = 0; v < kLineVectors; ++v) {
    __m256i acc[kPositions];
#pragma GCC unroll 8
    for (auto& sum : acc) sum = load(rows.first + 8 * v);
    for (int64_t k = 0; k < rows.count; ++k) {
      const std::byte *at = rows.list[k].line + x * kEntry + v * kBytes, *w = rows.list[k].weights + v * kBytes;
      for (int64_t s = 0; s < j.steps(); ++s, at += j.step_entries() * kEntry, w += kEntry) {
        const __m256i weights = load(w);
#pragma GCC unroll 8
        for (int p = 0; p < kPositions; ++p) acc[p] = dot(acc[p], load(at + p * kEntry), weights);
      }
    }
#pragma GCC unroll 8
    for (int p = 0; p < kPositions; ++p) store(to + p * kBytes + 8 * v, acc[p]);
  }
}

void run_lines(const DepthwiseLines& job) noexcept { rows_of_tiles<Fours, false>(job); }

}  // namespace
}  // namespace anydim::avx2

namespace anydim {

constinit const DepthwiseLinesForm DepthwiseLinesForm::avx2_vnni = {
    avx2::run_lines, "depthwise.byte_steps32.twins.measured", 4, kNarrowChannels, 8, false, false};

}  // namespace anydim
