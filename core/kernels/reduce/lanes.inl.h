// SPDX-License-Identifier: Apache-2.0
// The two orders of summation over a vector type F32: 32 lanes over a contiguous row, and a chain of blocks of 512.
// Include it INSIDE the anonymous namespace after the vector type and core/kernels/reduce/axes.h.

constexpr int kWidth = F32::kWidth;
constexpr int kLaneVectors = kReductionLanes / kWidth;

inline float first_lane(F32 v) {
  float t[kWidth];
  v.store(t);
  return t[0];
}

// lane i = combine(lane i, lane i + h) for h = 16, 8, 4, 2, 1; lane 0 of the result.
template <class Combine>
inline F32 lane_tree(const F32* lanes, Combine combine) {
  float t[kReductionLanes + kWidth] = {};
  for (int i = 0; i < kLaneVectors; ++i) lanes[i].store(t + i * kWidth);
  for (int h = kReductionLanes / 2; h >= 1; h /= 2)
    for (int i = 0; i < h; i += kWidth) combine(F32::load(t + i), F32::load(t + i + h)).store(t + i);
  return F32::load(t);
}

// The lane rule over n contiguous elements from x. step(acc, value, at, lanes): `at` is the index of the vector's first
// element, `lanes` how many of its elements are real.
template <class Step, class Combine>
inline float reduce_lanes(const float* x, int64_t n, float start, Step step, Combine combine) {
  F32 total = F32::set(start);
  for (int64_t b = 0; b < n; b += kLaneBlock) {
    const int64_t end = n - b < kLaneBlock ? n : b + kLaneBlock;
    F32 acc[kLaneVectors];
    for (int i = 0; i < kLaneVectors; ++i) acc[i] = F32::set(start);
    int64_t r = b;
    for (; r + kReductionLanes <= end; r += kReductionLanes)
      for (int i = 0; i < kLaneVectors; ++i)
        acc[i] = step(acc[i], F32::load(x + r + i * kWidth), r + i * kWidth, kWidth);
    for (int i = 0; r < end; ++i, r += kWidth) {
      const int lanes = static_cast<int>(end - r < kWidth ? end - r : kWidth);
      // Lanes without an element keep their value.
      float t[kWidth];
      acc[i].store(t);
      step(acc[i], F32::load_partial(x + r, lanes), r, lanes).store_partial(t, lanes);
      acc[i] = F32::load(t);
    }
    const F32 value = lane_tree(acc, combine);
    total = b == 0 ? value : combine(total, value);
  }
  return first_lane(total);
}

// The chain rule on N vectors at a time. load(offset, j) gives vector j of the position at `offset`;
// step(acc, value, r, j) takes it in.
template <int N, class Load, class Step, class Combine>
inline void reduce_chain(const ReducedAxes& axes, float start, Load load, Step step, Combine combine, F32* total) {
  for (int j = 0; j < N; ++j) total[j] = F32::set(start);
  ReducedCursor c{axes};
  const int64_t stride = axes.in_strides[axes.rank - 1];
  for (int64_t b = 0; b < axes.count; b += kChainBlock) {
    const int64_t end = axes.count - b < kChainBlock ? axes.count : b + kChainBlock;
    F32 acc[N];
    for (int j = 0; j < N; ++j) acc[j] = F32::set(start);
    for (int64_t r = b; r < end;) {
      const int64_t n = c.run() < end - r ? c.run() : end - r;
      int64_t at = c.in;
      for (int64_t i = 0; i < n; ++i, at += stride)
#pragma GCC unroll 8
        for (int j = 0; j < N; ++j) acc[j] = step(acc[j], load(at, j), r + i, j);
      c.advance(n);
      r += n;
    }
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
