// SPDX-License-Identifier: Apache-2.0
// The two orders of summation over a vector type F32: 32 lanes over a contiguous row, and a chain of blocks of 64.
#pragma once

#include "core/kernels/reduce/axes.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kWidth = F32::kWidth;
constexpr int kLaneVectors = kReductionLanes / kWidth;

// lane i = combine(lane i, lane i + h) for h = 16, 8, 4, 2, 1. The result is in lane 0.
template <class Combine> inline F32 lane_tree(const F32* lanes, Combine combine) {
  F32 t[kLaneVectors];
#pragma GCC unroll copies(8)
  for (int i = 0; i < kLaneVectors; ++i) t[i] = lanes[i];
#pragma GCC unroll copies(8)
  for (int h = kLaneVectors / 2; h >= 1; h /= 2)
#pragma GCC unroll copies(8)
    for (int i = 0; i < h; ++i) t[i] = combine(t[i], t[i + h]);
  F32 r = t[0];
  if constexpr (kWidth > 8) r = combine(r, upper<8>(r));
  r = combine(r, upper<4>(r));
  r = combine(r, upper<2>(r));
  return combine(r, upper<1>(r));
}

// The lane rule over n contiguous elements from x. step(acc, value, at, lanes): `at` is the index of the vector's first
// element, `lanes` how many of its elements are real.
template <class Step, class Combine> inline float reduce_lanes(const float* x, int64_t n, float start, Step step, Combine combine) {
  F32 total = F32::set(start);
  for (int64_t b = 0; b < n; b += kLaneBlock) {
    const int64_t end = n - b < kLaneBlock ? n : b + kLaneBlock;
    F32 acc[kLaneVectors];
#pragma GCC unroll copies(8)
    for (int i = 0; i < kLaneVectors; ++i) acc[i] = F32::set(start);
    int64_t r = b;
    for (; r + kReductionLanes <= end; r += kReductionLanes)
#pragma GCC unroll copies(8)
      for (int i = 0; i < kLaneVectors; ++i) acc[i] = step(acc[i], F32::load(x + r + i * kWidth), r + i * kWidth, kWidth);
#pragma GCC unroll copies(8)
    for (int i = 0; i < kLaneVectors && r < end; ++i, r += kWidth) {
      const int lanes = static_cast<int>(end - r < kWidth ? end - r : kWidth);
      // Lanes without an element keep their value.
      acc[i] = select(F32::first_lanes(lanes), step(acc[i], F32::load_partial(x + r, lanes), r, lanes), acc[i]);
    }
    const F32 value = lane_tree(acc, combine);
    total = b == 0 ? value : combine(total, value);
  }
  return first(total);
}

// The chain rule on N vectors at a time. load(offset, j) gives vector j of the position at `offset`;
// step(acc, value, r, j) takes it in.
template <int N, class Load, class Step, class Combine>
inline void reduce_chain(const ReducedAxes& axes, float start, Load load, Step step, Combine combine, F32* total) {
#pragma GCC unroll copies(8)
  for (int j = 0; j < N; ++j) total[j] = F32::set(start);
  ReducedCursor c{axes};
  const int64_t stride = axes.in_strides[axes.rank - 1];
  for (int64_t b = 0; b < axes.count; b += kChainBlock) {
    const int64_t end = axes.count - b < kChainBlock ? axes.count : b + kChainBlock;
    F32 acc[N];
#pragma GCC unroll copies(8)
    for (int j = 0; j < N; ++j) acc[j] = F32::set(start);
    for (int64_t r = b; r < end;) {
      const int64_t n = c.run() < end - r ? c.run() : end - r;
      int64_t at = c.in;
      for (int64_t i = 0; i < n; ++i, at += stride)
#pragma GCC unroll copies(8)
        for (int j = 0; j < N; ++j) acc[j] = step(acc[j], load(at, j), r + i, j);
      c.advance(n);
      r += n;
    }
#pragma GCC unroll copies(8)
    for (int j = 0; j < N; ++j) total[j] = b == 0 ? acc[j] : combine(total[j], acc[j]);
  }
}

// The lane rule on one vector of outputs: the 32 lanes are 32 vectors. load(offset), step(acc, value, r).
template <class Load, class Step, class Combine>
inline void reduce_lanes_across(const ReducedAxes& axes, float start, Load load, Step step, Combine combine, F32* total) {
  *total = F32::set(start);
  const int64_t stride = axes.in_strides[0];  // one axis, the last
  for (int64_t b = 0; b < axes.count; b += kLaneBlock) {
    const int64_t end = axes.count - b < kLaneBlock ? axes.count : b + kLaneBlock;
    F32 acc[kReductionLanes];
    for (int i = 0; i < kReductionLanes; ++i) acc[i] = F32::set(start);
    for (int64_t r = b; r < end; ++r) {
      F32& a = acc[r % kReductionLanes];
      a = step(a, load(r * stride), r);
    }
    for (int h = kReductionLanes / 2; h >= 1; h /= 2)
      for (int i = 0; i < h; ++i) acc[i] = combine(acc[i], acc[i + h]);
    *total = b == 0 ? acc[0] : combine(*total, acc[0]);
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
