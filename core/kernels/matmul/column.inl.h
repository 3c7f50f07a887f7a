// SPDX-License-Identifier: Apache-2.0
// A matrix times one column over a vector type F32. See column.h.
#pragma once

#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/matmul/column.h"
#include "core/kernels/simd/set.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr auto run_epilogue = RunEpilogue::ANYDIM_ISA;

constexpr int kW = F32::kWidth;
// Groups of rows whose chains run at once, which hides the latency of a multiply-add; 16 vectors of 16 leave no registers for a second.
constexpr int kGroups = kW == 8 ? 2 : 1;

// The chains of G groups of rows over elements [begin, end) of k. `lanes`: rows of the last group.
template <int G>
inline __attribute__((always_inline)) void chains(const ColumnJob& j, int64_t row, int lanes, int64_t begin, int64_t end, F32 (&acc)[G]) {
#pragma GCC unroll 2
  for (int g = 0; g < G; ++g) acc[g] = F32::zero();
  if (j.row_step == 1) {
    for (int64_t k = begin; k < end; ++k) {
      const F32 w = F32::set(j.b[k * j.b_step]);
      const float* p = j.a + row + k * j.k_step;
#pragma GCC unroll 2
      for (int g = 0; g < G; ++g) {
        const F32 x = g == G - 1 && lanes < kW ? F32::load_partial(p + g * kW, lanes) : F32::load(p + g * kW);
        acc[g] = fma(x, w, acc[g]);
      }
    }
    return;
  }
  for (int64_t k = begin; k < end; k += kW) {
    const int n = static_cast<int>(end - k < kW ? end - k : kW);
    F32 t[G][kW];
#pragma GCC unroll 2
    for (int g = 0; g < G; ++g) {
      for (int r = 0; r < kW; ++r) {
        // Lanes without a row read the first one's.
        const float* p = j.a + (row + (g < G - 1 || r < lanes ? g * kW + r : 0)) * j.row_step + k;
        t[g][r] = n == kW ? F32::load(p) : F32::load_partial(p, n);
      }
      transpose(t[g]);
    }
    for (int i = 0; i < n; ++i) {
      const F32 w = F32::set(j.b[(k + i) * j.b_step]);
#pragma GCC unroll 2
      for (int g = 0; g < G; ++g) acc[g] = fma(t[g][i], w, acc[g]);
    }
  }
}

template <int G> inline __attribute__((always_inline)) void sums_of_rows(const ColumnJob& j, int64_t row, int lanes, float* sums) {
  F32 total[G];
#pragma GCC unroll 2
  for (int g = 0; g < G; ++g) total[g] = F32::zero();
  for (int64_t k = 0; k < j.k; k += kSumBlock) {
    F32 acc[G];
    chains<G>(j, row, lanes, k, j.k - k < kSumBlock ? j.k : k + kSumBlock, acc);
#pragma GCC unroll 2
    for (int g = 0; g < G; ++g) total[g] = k == 0 ? acc[g] : total[g] + acc[g];
  }
#pragma GCC unroll 2
  for (int g = 0; g < G; ++g) total[g].store(sums + row + g * kW);
}

// G vectors of rows that are neighbours: so many chains hide the latency, and each element of k reads several lines of the cache.
template <int G> inline __attribute__((always_inline)) void sums_of_neighbours(const ColumnJob& j, int64_t row, float* sums) {
  for (int64_t begin = 0; begin < j.k; begin += kSumBlock) {
    const int64_t end = j.k - begin < kSumBlock ? j.k : begin + kSumBlock;
    F32 acc[G];
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) acc[g] = F32::zero();
    for (int64_t k = begin; k < end; ++k) {
      const F32 w = F32::set(j.b[k * j.b_step]);
      const float* p = j.a + row + k * j.k_step;
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g) acc[g] = fma(F32::load(p + g * kW), w, acc[g]);
    }
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
      float* const to = sums + row + g * kW;
      (begin == 0 ? acc[g] : F32::load(to) + acc[g]).store(to);
    }
  }
}

// Dense rows so short that a vector holds several: as many vectors as it has lanes are turned at once. Then lane l of the vector of
// element k of the q-th row in each has row l * R + q. Returns the first row that is left.
inline int64_t short_rows(const ColumnJob& j, float* sums) {
  const int64_t each = kW / j.k;  // rows of a vector, R
  int64_t row = 0;
  for (; row + each * kW <= j.rows; row += each * kW) {
    F32 t[kW];
    for (int i = 0; i < kW; ++i) t[i] = F32::load(j.a + row * j.k + i * kW);
    transpose(t);
    for (int64_t q = 0; q < each; ++q) {
      F32 acc = F32::zero();
      for (int64_t k = 0; k < j.k; ++k) acc = fma(t[q * j.k + k], F32::set(j.b[k * j.b_step]), acc);
      float lanes[kW];
      acc.store(lanes);
      for (int i = 0; i < kW; ++i) sums[row + i * each + q] = lanes[i];
    }
  }
  return row;
}

inline void column_product(const ColumnJob& j) {
  alignas(64) float sums[kColumnRows];
  int64_t row = j.k_step == 1 && j.row_step == j.k && j.k < kW && kW % j.k == 0 ? short_rows(j, sums) : 0;
  if (j.row_step == 1) {
    for (; row + 8 * kW <= j.rows; row += 8 * kW) sums_of_neighbours<8>(j, row, sums);
    for (; row + 4 * kW <= j.rows; row += 4 * kW) sums_of_neighbours<4>(j, row, sums);
  }
  for (; row + kGroups * kW <= j.rows; row += kGroups * kW) sums_of_rows<kGroups>(j, row, kW, sums);
  for (; row < j.rows; row += kW) sums_of_rows<1>(j, row, static_cast<int>(j.rows - row < kW ? j.rows - row : kW), sums);
  const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
  for (int o = 0; o < j.program->operand_count; ++o) operands[o][0] = j.operand[o];
  EpilogueTile tile;
  tile.sums = sums;
  tile.sums_step = kColumnRows;
  tile.rows = 1;
  tile.columns = static_cast<int32_t>(j.rows);
  tile.dst = &j.dst;
  tile.dst_column_step = j.dst_step;
  tile.operands = operands;
  run_epilogue(*j.program, tile);
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
