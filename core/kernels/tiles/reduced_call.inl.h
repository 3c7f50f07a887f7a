// SPDX-License-Identifier: Apache-2.0
// One tile of math mode reduced: everything a microkernel needs. LeftNumber and kReducedRows stand before it, the microkernels
// sum_tile<rows, vectors>(const SumCall&) behind it.
#pragma once

#include <cstdint>
#include <utility>

#include "core/kernels/simd/set.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kW = F32::kWidth;
constexpr int kMostRows = kMaxEpilogueRows;
constexpr bool kHasHalf = false;
inline void prefetch(const float* p) { __builtin_prefetch(p, 0, 3); }

struct SummedBlock {
  int64_t at;  // of a row, where the block's numbers lie
  int32_t id;  // the panel's block
};

struct SumCall {
  const LeftNumber* const* rows;
  int64_t apart;  // numbers from row to row, where rows are gathered
  const SummedBlock* blocks;
  int32_t count;
  bool first;  // sums begin at 0
  const uint32_t* panel;
  float* sums;  // rows of whole vectors
};

using SumFunction = void (*)(const SumCall&);

// Of tiles that have code for each number of rows.
template <int MR, int NV> void sum_tile(const SumCall& call);
template <int... I> SumFunction function_of_rows(int vectors, int rows, std::integer_sequence<int, I...>) {
  static constexpr SumFunction kNarrow[] = {sum_tile<I + 1, 1>...}, kWide[] = {sum_tile<I + 1, 2>...};
  return (vectors == 1 ? kNarrow : kWide)[rows - 1];
}
inline SumFunction function_of_rows(int vectors, int rows) {
  return function_of_rows(vectors, rows, std::make_integer_sequence<int, kReducedRows>());
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
