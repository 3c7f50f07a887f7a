// SPDX-License-Identifier: Apache-2.0
// The body of points.h over the vector type F32. Sets define before it gather(), gather_pairs() and store_offsets().
#pragma once

#include <cstdint>

#include "core/kernels/grid_sample/points.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kPoints = GridPointsJob::kBlock;

// The taps of a block along one axis: where they lie, and all bits set or none where they are inside.
template <int T> struct AxisTaps {
  alignas(64) int32_t offset[T][kPoints];
  alignas(64) float inside[T][kPoints];
  alignas(64) float weight[2][kPoints];
};

inline F32 masked(F32 a, F32 mask) { return from_bits(bits(a) & bits(mask)); }
inline F32 all_bits() { return from_bits(set_int(F32{}, -1)); }

// docs/numerics.md, section 6; a half of a number is what the division by 2 gives. Positions inside an axis are small integers, which
// binary32 holds exactly.
template <int T> void find_taps(const GridPointsJob& j, int axis, const float* grid, int count, AxisTaps<T>* taps) {
  constexpr int W = F32::kWidth;
  const auto size = static_cast<float>(j.size[axis]);
  const F32 one = F32::set(1.f), half = F32::set(0.5f), last = F32::set(size - 1.f), whole = F32::set(size), zero = F32::zero();
  const F32 low = F32::set(j.align_corners ? 0.f : -0.5f), high = F32::set(j.align_corners ? size - 1.f : size - 0.5f);
  const F32 empty = j.size[axis] == 0 ? F32::zero() : all_bits();
  alignas(64) int32_t steps[W];
  for (int l = 0; l < W; ++l) steps[l] = static_cast<int32_t>(l * j.grid_point);
  for (int i = 0; i < count; i += W) {
    const float* from = grid + i * j.grid_point;
    const F32 n = count - i < W ? F32::load_strided(from, j.grid_point, count - i) : gather(from, steps);
    F32 x = j.align_corners ? (n + one) * half * last : ((n + one) * whole - one) * half;
    x = select((x - x) == zero, x, F32::set(-2.f));
    if (T == 1) x = round_even(x);
    if (j.border) {
      const F32 clamped = select(x < zero, zero, select(last < x, last, x));
      x = select((low <= x) & (x <= high), x, clamped);
    }
    const F32 base = T == 1 ? x : floor(x), t = x - base;
    for (int k = 0; k < T; ++k) {
      F32 at = k == 0 ? base : base + one, inside = empty;
      if (j.border) at = select(at < zero, zero, select(last < at, last, at));
      else inside = masked(empty, select((zero <= at) & (at <= last), all_bits(), zero));
      store_offsets(masked(at, inside), j.stride[axis], taps->offset[k] + i);
      inside.store(taps->inside[k] + i);
    }
    (one - t).store(taps->weight[0] + i);
    t.store(taps->weight[1] + i);
  }
}

// All corners of a block: T^A of them, the last axis fastest.
template <int T, int A> struct Corners {
  static constexpr int kCount = A == 1 ? T : A == 2 ? T * T : T * T * T;
  alignas(64) int32_t offset[kCount][kPoints];
  alignas(64) float inside[kCount][kPoints];
};

// Of whole vectors: lanes behind the last point are read, too.
template <int T, int A> void join_corners(const AxisTaps<T>* taps, int count, Corners<T, A>* to) {
  count = (count + F32::kWidth - 1) / F32::kWidth * F32::kWidth;
  for (int c = 0; c < Corners<T, A>::kCount; ++c) {
    int tap[A];
    for (int a = A - 1, rest = c; a >= 0; --a, rest /= T) tap[a] = rest % T;
    for (int i = 0; i < count; i += F32::kWidth) {
      F32 inside = F32::load(taps[0].inside[tap[0]] + i);
      for (int a = 1; a < A; ++a) inside = masked(inside, F32::load(taps[a].inside[tap[a]] + i));
      inside.store(to->inside[c] + i);
    }
    for (int i = 0; i < count; ++i) {
      int32_t offset = taps[0].offset[tap[0]][i];
      for (int a = 1; a < A; ++a) offset += taps[a].offset[tap[a]][i];
      to->offset[c][i] = offset;
    }
  }
}

// What the corners from `first` on come to, from axis `axis` of A on: the last one is interpolated first.
template <int T, int A, int axis, class Corner, class Weight> F32 interpolated(const Corner& corner, const Weight& weight, int first) {
  if constexpr (axis == A) {
    return corner(first);
  } else {
    constexpr int kStep = A - axis == 1 ? 1 : A - axis == 2 ? T : T * T;
    if constexpr (T == 1) {
      return interpolated<T, A, axis + 1>(corner, weight, first);
    } else {
      const F32 y = weight(axis, 0) * interpolated<T, A, axis + 1>(corner, weight, first);
      return fma(weight(axis, 1), interpolated<T, A, axis + 1>(corner, weight, first + kStep), y);
    }
  }
}

// Whether the second tap of each point lies behind the first: then one read has both.
inline bool side_by_side(const int32_t* first, const int32_t* second) {
  int different = 0;
  for (int l = 0; l < F32::kWidth; ++l) different |= second[l] ^ (first[l] + 1);
  return different == 0;
}

template <int T, int A> void sample_block(const GridPointsJob& j, int count) {
  constexpr int W = F32::kWidth;
  AxisTaps<T> taps[A];
  for (int a = 0; a < A; ++a) find_taps<T>(j, a, j.grid + (A - 1 - a) * j.grid_axis, count, &taps[a]);
  Corners<T, A> corners;
  join_corners<T, A>(taps, count, &corners);

  if (j.x_channel == 1 && j.channels >= W && j.y_channel == 1) {
    for (int i = 0; i < count; ++i) {
      const float* from[Corners<T, A>::kCount];
      F32 inside[Corners<T, A>::kCount];
      bool whole = true;
      for (int c = 0; c < Corners<T, A>::kCount; ++c) {
        from[c] = j.x + corners.offset[c][i];
        inside[c] = F32::set(corners.inside[c][i]);
        whole = whole && !any(inside[c] == F32::zero());  // all bits are a NaN
      }
      F32 weights[A][2];
      for (int a = 0; a < A; ++a)
        for (int t = 0; t < 2; ++t) weights[a][t] = F32::set(taps[a].weight[t][i]);
      float* const to = j.y + i * j.y_point;
      const auto weight = [&](int a, int t) { return weights[a][t]; };
      for (int64_t c = 0; c < j.channels; c += W) {
        const int64_t at = c + W <= j.channels ? c : j.channels - W;  // the last vector begins earlier
        if (whole) interpolated<T, A, 0>([&](int k) { return F32::load(from[k] + at); }, weight, 0).store(to + at);
        else interpolated<T, A, 0>([&](int k) { return masked(F32::load(from[k] + at), inside[k]); }, weight, 0).store(to + at);
      }
    }
    return;
  }
  for (int i = 0; i < count; i += W) {
    const int lanes = count - i < W ? count - i : W;
    F32 weights[A][2];
    for (int a = 0; a < A; ++a)
      for (int t = 0; t < 2; ++t) weights[a][t] = F32::load(taps[a].weight[t] + i);
    const auto weight = [&](int a, int t) { return weights[a][t]; };
    const float* x = j.x;
    float* to = j.y + i * j.y_point;
    const bool in_pairs = T == 2 && j.stride[A - 1] == 1 && side_by_side(taps[A - 1].offset[0] + i, taps[A - 1].offset[T - 1] + i);
    for (int64_t c = 0; c < j.channels; ++c, x += j.x_channel, to += j.y_channel) {
      F32 corner[Corners<T, A>::kCount];
      for (int k = 0; k < Corners<T, A>::kCount; k += T) {
        if (in_pairs) gather_pairs(x, corners.offset[k] + i, &corner[k], &corner[k + T - 1]);
        else
          for (int t = 0; t < T; ++t) corner[k + t] = gather(x, corners.offset[k + t] + i);
      }
      const F32 y = interpolated<T, A, 0>([&](int k) { return masked(corner[k], F32::load(corners.inside[k] + i)); }, weight, 0);
      if (j.y_point == 1 && lanes == W) {
        y.store(to);
      } else {
        float out[W];
        y.store(out);
        for (int l = 0; l < lanes; ++l) to[l * j.y_point] = out[l];
      }
    }
  }
}

inline void grid_points(const GridPointsJob& j, int count) {
  switch (j.axes * 2 + (j.nearest ? 0 : 1)) {
    case 2: sample_block<1, 1>(j, count); break;
    case 3: sample_block<2, 1>(j, count); break;
    case 4: sample_block<1, 2>(j, count); break;
    case 5: sample_block<2, 2>(j, count); break;
    case 6: sample_block<1, 3>(j, count); break;
    default: sample_block<2, 3>(j, count); break;
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
