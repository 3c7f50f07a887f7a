// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize over the vector types F32 and Doubles: lines are blended,
// and stretched along themselves.
#pragma once

#include <cstdint>

#include "core/kernels/resize/lines_job.h"
#include "core/kernels/simd/doubles.h"
#include "core/kernels/simd/fused_doubles.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// Doubles with the names of F32.
struct F64 {
  static constexpr int kWidth = kDoubles;
  Doubles<kWidth> v;

  static F64 set(double x) { return {x - Doubles<kWidth>{}}; }
  static F64 zero() { return {Doubles<kWidth>{}}; }
  static F64 load(const double* p) { return {load_doubles<kWidth>(p)}; }
  static F64 load_partial(const double* p, int n) {
    F64 r = zero();
    for (int i = 0; i < n; ++i) r.v[i] = p[i];
    return r;
  }
  void store(double* p) const { store_doubles<kWidth>(p, v); }
  void store_partial(double* p, int n) const {
    for (int i = 0; i < n; ++i) p[i] = v[i];
  }
};
// W x W in place: each round exchanges the blocks of `n` x `n` that lie off the diagonals of blocks of twice the size.
template <int n, int W> inline void transpose_round(F64 (&r)[W], const DoubleBits<W>& lane) {
  const DoubleBits<W> upper = (lane & n) != 0, low = (upper & (lane - n + W)) | (~upper & lane),
                      high = (upper & (lane + W)) | (~upper & (lane + n));
#pragma GCC unroll copies(8)
  for (int i = 0; i < W; ++i) {
    if (i & n) continue;
    const F64 a = r[i], b = r[i + n];
    r[i].v = __builtin_shuffle(a.v, b.v, low);
    r[i + n].v = __builtin_shuffle(a.v, b.v, high);
  }
  if constexpr (2 * n < W) transpose_round<2 * n>(r, lane);
}
template <int W> inline void transpose(F64 (&r)[W]) {
  DoubleBits<W> lane = {};
  for (int i = 0; i < W; ++i) lane[i] = i;
  transpose_round<1>(r, lane);
}
inline F64 operator*(F64 a, F64 b) { return {a.v * b.v}; }
inline F64 fma(F64 a, F64 b, F64 c) { return {fused<F64::kWidth>(a.v, b.v, c.v)}; }
inline float fused_scalar(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused_scalar(double a, double b, double c) { return __builtin_fma(a, b, c); }

template <class E> struct VectorOf;
template <> struct VectorOf<float> { using Type = F32; };
template <> struct VectorOf<double> { using Type = F64; };

template <class E> __attribute__((noinline)) void blend(const ResizeBlend<E>& b) noexcept {
  using V = typename VectorOf<E>::Type;
  constexpr int W = V::kWidth, kVectors = 4;
  const E* const weight = b.weight;
  const int64_t taps = b.taps, n = b.n;
  E* const to = b.to;
  const auto line = [lines = b.ring.lines, step = b.ring.line, count = b.ring.count, add = b.ring.slot - b.ring.first,
                     place = b.place](int64_t t) {
    const int64_t slot = place[t] + add;
    return lines + (slot < count ? slot : slot - count) * step;
  };
  int64_t i = 0;
  for (; i + kVectors * W <= n; i += kVectors * W) {
    V y[kVectors];
    const E* x = line(0) + i;
    V w = V::set(weight[0]);
#pragma GCC unroll copies(4)
    for (int u = 0; u < kVectors; ++u) y[u] = w * V::load(x + u * W);
    for (int64_t t = 1; t < taps; ++t) {
      x = line(t) + i;
      w = V::set(weight[t]);
#pragma GCC unroll copies(4)
      for (int u = 0; u < kVectors; ++u) y[u] = fma(w, V::load(x + u * W), y[u]);
    }
#pragma GCC unroll copies(4)
    for (int u = 0; u < kVectors; ++u) y[u].store(to + i + u * W);
  }
  for (; i + W <= n; i += W) {
    V y = V::set(weight[0]) * V::load(line(0) + i);
    for (int64_t t = 1; t < taps; ++t) y = fma(V::set(weight[t]), V::load(line(t) + i), y);
    y.store(to + i);
  }
  if (i == n) return;
  const int rest = static_cast<int>(n - i);
  V y = V::set(weight[0]) * V::load_partial(line(0) + i, rest);
  for (int64_t t = 1; t < taps; ++t) y = fma(V::set(weight[t]), V::load_partial(line(t) + i, rest), y);
  y.store_partial(to + i, rest);
}

// Along the elements of a place.
template <class E> void stretch_runs(const ResizeStretch<E>& s, const E* src, E* dst) {
  ResizeBlend<E> b{{src, s.src_step, s.base + s.columns, s.base, 0}, nullptr, nullptr, 0, s.run, dst};
  for (int64_t x = s.from; x < s.to; ++x, b.to += s.dst_step) {
    b.place = s.place + s.begin[x];
    b.weight = s.weight + s.begin[x];
    b.taps = s.begin[x + 1] - s.begin[x];
    if (b.taps > 0) blend(b);
  }
}

// T taps of each position, and places of R elements.
template <int T, int R, class E> void stretch_elements(const ResizeStretch<E>& s, const E* src, E* dst) {
  src -= s.base * R;
  const int64_t* place = s.place + s.begin[s.from];
  const E* weight = s.weight + s.begin[s.from];
  for (int64_t n = s.to - s.from; n > 0; --n, place += T, weight += T, dst += R) {
#pragma GCC unroll copies(4)
    for (int c = 0; c < R; ++c) {
      E y = weight[0] * src[place[0] * R + c];
#pragma GCC unroll copies(4)
      for (int t = 1; t < T; ++t) y = fused_scalar(weight[t], src[place[t] * R + c], y);
      dst[c] = y;
    }
  }
}

// T: the taps of each position, or 0.
template <int T, class E> void stretch_single(const ResizeStretch<E>& s, const E* src, E* dst) {
  if constexpr (T > 0)
    if (s.run == 1 || s.run == 3) return s.run == 1 ? stretch_elements<T, 1>(s, src, dst) : stretch_elements<T, 3>(s, src, dst);
  src -= s.base * s.run;
  for (int64_t x = s.from; x < s.to; ++x, dst += s.run) {
    const int64_t begin = s.begin[x], taps = T > 0 ? T : s.begin[x + 1] - begin;
    const int64_t* const place = s.place + begin;
    const E* const weight = s.weight + begin;
    for (int64_t c = 0; c < s.run && taps > 0; ++c) {
      E y = weight[0] * src[place[0] * s.run + c];
      for (int64_t t = 1; t < taps; ++t) y = fused_scalar(weight[t], src[place[t] * s.run + c], y);
      dst[c] = y;
    }
  }
}

// Columns of all lines become vectors, a square at a time.
template <class E> __attribute__((noinline)) void turn_in(const E* const* src, int n, int64_t columns, E* to) noexcept {
  using V = typename VectorOf<E>::Type;
  constexpr int W = V::kWidth;
  for (int64_t c = 0; c < columns; c += W) {
    const int lanes = static_cast<int>(columns - c < W ? columns - c : W);
    V square[W];
    for (int i = 0; i < W; ++i) square[i] = i >= n ? V::zero() : lanes == W ? V::load(src[i] + c) : V::load_partial(src[i] + c, lanes);
    transpose(square);
    for (int i = 0; i < lanes; ++i) square[i].store(to + (c + i) * W);
  }
}
template <class E> __attribute__((noinline)) void turn_out(const E* from, int n, int64_t columns, E* const* dst) noexcept {
  using V = typename VectorOf<E>::Type;
  constexpr int W = V::kWidth;
  for (int64_t c = 0; c < columns; c += W) {
    const int lanes = static_cast<int>(columns - c < W ? columns - c : W);
    V square[W];
#pragma GCC unroll copies(16)
    for (int i = 0; i < W; ++i) square[i] = i < lanes ? V::load(from + (c + i) * W) : V::zero();
    transpose(square);
    for (int i = 0; i < n; ++i) {
      if (lanes == W) square[i].store(dst[i] + c);
      else square[i].store_partial(dst[i] + c, lanes);
    }
  }
}

// A lane is a line.
template <class E> void stretch_columns(const ResizeStretch<E>& s) {
  using V = typename VectorOf<E>::Type;
  constexpr int W = V::kWidth, kTurned = 4 * W;  // results that wait to be turned back
  turn_in(s.src, s.lines, s.columns * s.run, s.room);
  alignas(64) E waiting[kTurned * W];
  E* to[W];
  for (int i = 0; i < s.lines; ++i) to[i] = s.dst[i];
  int filled = 0;
  const auto flush = [&] {
    turn_out(waiting, s.lines, filled, to);
    for (int i = 0; i < s.lines; ++i) to[i] += filled;
    filled = 0;
  };
  for (int64_t x = s.from; x < s.to; ++x) {
    const int64_t begin = s.begin[x], end = s.begin[x + 1];
    for (int64_t c = 0; c < s.run; ++c) {
      const E* column = s.room + (c - s.base * s.run) * W;
      V y = V::zero();
      if (begin < end) y = V::set(s.weight[begin]) * V::load(column + s.place[begin] * s.run * W);
      for (int64_t t = begin + 1; t < end; ++t) y = fma(V::set(s.weight[t]), V::load(column + s.place[t] * s.run * W), y);
      y.store(waiting + filled * W);
      if (++filled == kTurned) flush();
    }
  }
  if (filled > 0) flush();
}

template <class E> void stretch(const ResizeStretch<E>& s) noexcept {
  if (s.run < kResizeRun && !s.single) return stretch_columns(s);
  for (int i = 0; i < s.lines; ++i) {
    if (s.run >= kResizeRun) stretch_runs(s, s.src[i], s.dst[i]);
    else if (s.taps == 2) stretch_single<2>(s, s.src[i], s.dst[i]);
    else if (s.taps == 4) stretch_single<4>(s, s.src[i], s.dst[i]);
    else stretch_single<0>(s, s.src[i], s.dst[i]);
  }
}

constexpr ResizeFunctions kResizeFunctions = {{F32::kWidth, blend<float>, stretch<float>, turn_in<float>, turn_out<float>},
                                              {F64::kWidth, blend<double>, stretch<double>, turn_in<double>, turn_out<double>}};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
