// SPDX-License-Identifier: Apache-2.0
// Rows as bytes, and their products with numbers; see rounded_rows.h. Sets define before it kTileRows, a list TileSizes, and the sum of a
// block: template <int kBits> struct BlockSum, whose parts() takes a word apart, add() adds the products with a row's bytes of that word,
// flush() comes after each four words and behind the last, and total() is the sum.
#pragma once

#include <cstdint>
#include <utility>

#include "core/kernels/compressed_matmul/rounded_rows.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kW = F32::kWidth, kPanel = 2 * kW;
constexpr int kWordsAtOnce = 4;

inline F32::Int load_word(const std::byte* p) { return bits(F32::load(reinterpret_cast<const float*>(p))); }

template <int kBits, int R> __attribute__((noinline)) void rounded_tile(const RoundedTileJob& job) noexcept {
  constexpr int kCount = 32 / kBits;
  constexpr int64_t kRowBytes = kPanel * 4;
  const NumberPanels& p = *job.panels;
  const std::byte* from = p.numbers + job.panel * p.words() * kRowBytes;
  const float* scale = p.scales + job.panel * p.blocks * kPanel;
  const float* zero = p.zeros != nullptr ? p.zeros + job.panel * p.blocks * kPanel : nullptr;
  const F32 one_zero = F32::set(-p.zero);
  F32 total[R][2];
#pragma GCC unroll copies(6)
  for (int r = 0; r < R; ++r) total[r][0] = total[r][1] = F32::zero();
  const int8_t* a = job.rows.bytes;
  const int64_t step = job.rows.bytes_step;
  for (int64_t block = 0, k = 0; block < p.blocks; ++block, k += p.block) {
    const int64_t left = p.k - k, words = ((left < p.block ? left : p.block) + kCount - 1) / kCount;
    using Sum = BlockSum<kBits>;
    Sum sum[R][2];
    for (int64_t w = 0; w < words;) {
      const int64_t end = words - w < kWordsAtOnce ? words : w + kWordsAtOnce;
      for (; w < end; ++w, from += kRowBytes, a += kCount) {
        const typename Sum::Parts low = Sum::parts(load_word(from)), high = Sum::parts(load_word(from + kW * 4));
#pragma GCC unroll copies(6)
        for (int r = 0; r < R; ++r) {
          sum[r][0].add(low, a + r * step);
          sum[r][1].add(high, a + r * step);
        }
      }
#pragma GCC unroll copies(6)
      for (int r = 0; r < R; ++r) sum[r][0].flush(), sum[r][1].flush();
    }
    const F32 s[2] = {F32::load(scale), F32::load(scale + kW)};
    F32 z[2] = {one_zero, one_zero};
    if (zero != nullptr) {
      z[0] = F32::zero() - F32::load(zero), z[1] = F32::zero() - F32::load(zero + kW);
      zero += kPanel;
    }
    scale += kPanel;
#pragma GCC unroll copies(6)
    for (int r = 0; r < R; ++r) {
      const F32 row_scale = F32::set(job.rows.scales[r * p.blocks + block]), row_sum = F32::set(job.rows.sums[r * p.blocks + block]);
#pragma GCC unroll copies(2)
      for (int j = 0; j < 2; ++j) {
        const F32 d = fma(z[j], row_sum, to_float(sum[r][j].total()));
        total[r][j] = fma(d, row_scale * s[j], total[r][j]);
      }
    }
  }
#pragma GCC unroll copies(6)
  for (int r = 0; r < R; ++r) total[r][0].store(job.sums + r * kPanel), total[r][1].store(job.sums + r * kPanel + kW);
}

template <int kBits, int... R> void rounded_tile_of(const RoundedTileJob& job, std::integer_sequence<int, R...>) {
  ((job.count == R + 1 ? rounded_tile<kBits, R + 1>(job) : void()), ...);
}
void tile(const RoundedTileJob& job) noexcept {
  const std::make_integer_sequence<int, kTileRows> sizes;
  job.panels->form == NumberForm::bits4 ? rounded_tile_of<4>(job, sizes) : rounded_tile_of<8>(job, sizes);
}

// By plain loops, which are vectors where compilers make them: a row is rounded once for all columns.
void round(const RoundRowJob& job) noexcept {
  constexpr float kLeast = 0x1p-100f;
  const int per_word = numbers_of_word(job.form);
  for (int64_t i = job.k; i < job.byte_count; ++i)
    job.bytes[i / per_word * per_word + place_in_word(job.form, static_cast<int>(i % per_word))] = 0;
  for (int64_t k = 0, block = 0; k < job.k; k += job.block, ++block) {
    const int64_t n = job.k - k < job.block ? job.k - k : job.block;
    alignas(64) float x[kMostRoundedBlock];
    if (job.step == 1) __builtin_memcpy(x, job.from + k, static_cast<size_t>(n) * sizeof(float));
    else
      for (int64_t i = 0; i < n; ++i) x[i] = job.from[(k + i) * job.step];
    // As bits, magnitudes are in the order of the numbers, and NaN above infinity.
    uint32_t most = 0;
    for (int64_t i = 0; i < n; ++i) {
      uint32_t b;
      __builtin_memcpy(&b, x + i, sizeof b);
      b &= 0x7fffffffu;
      most = b > most ? b : most;
    }
    float largest;
    __builtin_memcpy(&largest, &most, sizeof largest);
    const bool finite = most < 0x7f800000u, some = finite && largest >= kLeast;
    const float by = some ? 127.f / largest : 0.f;
    alignas(64) int32_t numbers[kMostRoundedBlock];
    int32_t sum = 0;
    // 1.5 * 2^23 is added and taken away: that rounds to the nearest, even.
    for (int64_t i = 0; i < n; ++i) {
      const float v = (finite ? x[i] * by : 0.f) + 0x1.8p23f;
      int32_t b;
      __builtin_memcpy(&b, &v, sizeof b);
      numbers[i] = b - 0x4b400000;
      sum += numbers[i];
    }
    int8_t* const to = job.bytes + k;
    if (job.form == NumberForm::bits4) {
      int64_t i = 0;
      for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; ++j) to[i + j] = static_cast<int8_t>(numbers[i + (j % 4) * 2 + j / 4]);
      for (; i < n; ++i) to[i / 8 * 8 + place_in_word(NumberForm::bits4, static_cast<int>(i % 8))] = static_cast<int8_t>(numbers[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<int8_t>(numbers[i]);
    }
    job.scales[block] = finite ? (some ? largest / 127.f : 0.f) : __builtin_nanf("");
    job.sums[block] = static_cast<float>(sum);
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
