// SPDX-License-Identifier: Apache-2.0
// Microkernels of math mode reduced by multiply-adds of binary32, where there is no instruction for bf16: first the chains of even k of a
// block, then those of odd k. Files of sets define before it, in the set's namespace, kReducedRows, flushed_fma and flushed_sum on F32, and
// upper_numbers(p) and lower_numbers(p): the upper or lower halves of words, each as the upper half of a float. pair_words(x, y): words of
// two vectors that become bf16.
#pragma once

#include <cstdint>

#include "core/kernels/simd/set.h"
#include "core/kernels/tiles/bf16.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr bool kWholeTiles = false;
struct JobState {};
constexpr int kPlace[4] = {1, 3, 0, 2};
using LeftNumber = float;
void put_left(float* row, int64_t at, const float* src, int64_t step, int64_t count) {
  for (int64_t i = 0; i < count; ++i) row[at + i] = as_bf16(src[i * step]);
}

// Words of n neighbours, at any address.
void put_pairs(const float* upper, const float* lower, int64_t n, float* to) {
  constexpr int kW = F32::kWidth;
  int64_t i = 0;
  for (; i + kW <= n; i += kW) pair_words(F32::load(upper + i), F32::load(lower + i)).store(to + i);
  if (const auto rest = static_cast<int>(n - i); rest > 0)
    pair_words(F32::load_partial(upper + i, rest), F32::load_partial(lower + i, rest)).store_partial(to + i, rest);
}

// Some k of a vector of columns are turned, and become words.
void pack_turned_block(const float* from, int64_t column_stride, int64_t n, int64_t width, float* to) {
  constexpr int kW = F32::kWidth;
  for (int64_t k = 0; k < kReducedBlock; k += kW) {
    F32 x[kW];
    for (int c = 0; c < kW; ++c) x[c] = c < n ? F32::load(from + c * column_stride + k) : F32::zero();
    transpose(x);
    for (int i = 0; i < kW; i += 4)
      for (int pair = 0; pair < 2; ++pair) pair_words(x[i + pair], x[i + pair + 2]).store(to + ((k + i) / 2 + pair) * width);
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA

#include "core/kernels/tiles/reduced_call.inl.h"

namespace anydim::ANYDIM_ISA {
namespace {

// The chains of a block's even or odd k. `b`: the panel's words of the first of them.
template <int MR, int NV>
inline __attribute__((always_inline)) void sum_chains(const float* const* rows, int64_t at, const uint32_t* b, F32 (&s)[MR][NV]) {
  constexpr int kW = F32::kWidth, kWidth = NV * kW;
#pragma GCC unroll copies(8)
  for (int r = 0; r < MR; ++r)
#pragma GCC unroll copies(2)
    for (int j = 0; j < NV; ++j) s[r][j] = F32::zero();
  for (int64_t k = 0; k < kReducedBlock; k += 4, b += 2 * kWidth) {
    F32 w[NV];
#pragma GCC unroll copies(2)
    for (int j = 0; j < NV; ++j) w[j] = upper_numbers(b + j * kW);
#pragma GCC unroll copies(8)
    for (int r = 0; r < MR; ++r) {
      const F32 x = F32::set(rows[r][at + k]);
#pragma GCC unroll copies(2)
      for (int j = 0; j < NV; ++j) s[r][j] = flushed_fma(x, w[j], s[r][j]);
    }
#pragma GCC unroll copies(2)
    for (int j = 0; j < NV; ++j) w[j] = lower_numbers(b + j * kW);
#pragma GCC unroll copies(8)
    for (int r = 0; r < MR; ++r) {
      const F32 x = F32::set(rows[r][at + k + 2]);
#pragma GCC unroll copies(2)
      for (int j = 0; j < NV; ++j) s[r][j] = flushed_fma(x, w[j], s[r][j]);
    }
  }
}

template <int MR, int NV> __attribute__((noinline)) void sum_tile(const SumCall& c) {
  constexpr int kW = F32::kWidth, kWidth = NV * kW;
  for (int32_t n = 0; n < c.count; ++n) {
    const int64_t at = c.blocks[n].at;
    const uint32_t* const b = c.panel + c.blocks[n].id * (kReducedBlock / 2) * kWidth;
    alignas(64) float even[MR * kWidth];
    F32 s[MR][NV];
    sum_chains(c.rows, at, b, s);
#pragma GCC unroll copies(8)
    for (int r = 0; r < MR; ++r)
#pragma GCC unroll copies(2)
      for (int j = 0; j < NV; ++j) s[r][j].store(even + r * kWidth + j * kW);
    sum_chains(c.rows, at + 1, b + kWidth, s);
    const bool first = c.first && n == 0;
#pragma GCC unroll copies(8)
    for (int r = 0; r < MR; ++r)
#pragma GCC unroll copies(2)
      for (int j = 0; j < NV; ++j) {
        float* const total = c.sums + r * kWidth + j * kW;
        const F32 before = first ? F32::zero() : F32::load(total);
        flushed_sum(before, flushed_sum(F32::load(even + r * kWidth + j * kW), s[r][j])).store(total);
      }
  }
}

inline SumFunction tile_function(int vectors, int rows) { return function_of_rows(vectors, rows); }

}  // namespace
}  // namespace anydim::ANYDIM_ISA
