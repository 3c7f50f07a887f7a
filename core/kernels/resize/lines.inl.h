// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize over the vector types F32 and Doubles: lines are blended, and stretched along themselves. Included inside an
// anonymous namespace after a simd header, doubles.h and fused_doubles.h.

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
inline F64 operator*(F64 a, F64 b) { return {a.v * b.v}; }
inline F64 fma(F64 a, F64 b, F64 c) { return {fused<F64::kWidth>(a.v, b.v, c.v)}; }
inline float fused_scalar(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused_scalar(double a, double b, double c) { return __builtin_fma(a, b, c); }

template <class E> struct VectorOf;
template <> struct VectorOf<float> { using Type = F32; };
template <> struct VectorOf<double> { using Type = F64; };

// n elements at `to` from those at line(t), tap t's.
template <class E, class Line> inline void blend_lines(const E* weight, int64_t taps, int64_t n, E* to, const Line& line) {
  using V = typename VectorOf<E>::Type;
  constexpr int W = V::kWidth, kVectors = 4;
  int64_t i = 0;
  for (; i + kVectors * W <= n; i += kVectors * W) {
    V y[kVectors];
    const E* x = line(0) + i;
    V w = V::set(weight[0]);
#pragma GCC unroll 4
    for (int u = 0; u < kVectors; ++u) y[u] = w * V::load(x + u * W);
    for (int64_t t = 1; t < taps; ++t) {
      x = line(t) + i;
      w = V::set(weight[t]);
#pragma GCC unroll 4
      for (int u = 0; u < kVectors; ++u) y[u] = fma(w, V::load(x + u * W), y[u]);
    }
#pragma GCC unroll 4
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

template <class E> void blend(const ResizeBlend<E>& b) noexcept {
  const ResizeRing<E>& r = b.ring;
  blend_lines(b.weight, b.taps, b.n, b.to, [&](int64_t t) {
    const int64_t slot = b.place[t] - r.first + r.slot;
    return r.lines + (slot < r.count ? slot : slot - r.count) * r.line;
  });
}

// Along the elements of a place.
template <class E> void stretch_runs(const ResizeStretch<E>& s, const E* src, E* dst) {
  for (int64_t x = s.from; x < s.to; ++x, dst += s.dst_step) {
    const int64_t begin = s.begin[x], taps = s.begin[x + 1] - begin;
    if (taps > 0)
      blend_lines(s.weight + begin, taps, s.run, dst, [&](int64_t t) { return src + (s.place[begin + t] - s.base) * s.src_step; });
  }
}

template <class E> void stretch_single(const ResizeStretch<E>& s, const E* src, E* dst) {
  for (int64_t x = s.from; x < s.to; ++x, dst += s.run) {
    const int64_t begin = s.begin[x], end = s.begin[x + 1];
    for (int64_t c = 0; c < s.run && begin < end; ++c) {
      E y = s.weight[begin] * src[(s.place[begin] - s.base) * s.run + c];
      for (int64_t t = begin + 1; t < end; ++t) y = fused_scalar(s.weight[t], src[(s.place[t] - s.base) * s.run + c], y);
      dst[c] = y;
    }
  }
}

// A lane is a line: columns of all lines are turned into vectors, and the results back, a square at a time.
inline void stretch_columns(const ResizeStretch<float>& s) {
  constexpr int W = F32::kWidth;
  const int64_t columns = s.columns * s.run, results = (s.to - s.from) * s.run;
  for (int64_t c = 0; c < columns; c += W) {
    const int lanes = static_cast<int>(columns - c < W ? columns - c : W);
    F32 square[W];
    for (int i = 0; i < W; ++i)
      square[i] = i >= s.lines ? F32::zero() : lanes == W ? F32::load(s.src[i] + c) : F32::load_partial(s.src[i] + c, lanes);
    transpose(square);
    for (int i = 0; i < lanes; ++i) square[i].store(s.room + (c + i) * W);
  }
  alignas(64) float square[W * W] = {};
  int64_t done = 0;
  int filled = 0;
  const auto flush = [&] {
    F32 r[W];
#pragma GCC unroll 16
    for (int i = 0; i < W; ++i) r[i] = F32::load(square + i * W);
    transpose(r);
    for (int i = 0; i < s.lines; ++i) {
      if (filled == W) r[i].store(s.dst[i] + done);
      else r[i].store_partial(s.dst[i] + done, filled);
    }
    done += filled;
    filled = 0;
  };
  for (int64_t x = s.from; x < s.to; ++x) {
    const int64_t begin = s.begin[x], end = s.begin[x + 1];
    for (int64_t c = 0; c < s.run; ++c) {
      const float* column = s.room + (c - s.base * s.run) * W;
      F32 y = F32::zero();
      if (begin < end) y = F32::set(s.weight[begin]) * F32::load(column + s.place[begin] * s.run * W);
      for (int64_t t = begin + 1; t < end; ++t) y = fma(F32::set(s.weight[t]), F32::load(column + s.place[t] * s.run * W), y);
      y.store(square + filled * W);
      if (++filled == W) flush();
    }
  }
  if (done < results) flush();
}

template <class E> void stretch(const ResizeStretch<E>& s) noexcept {
  if constexpr (sizeof(E) == sizeof(float))
    if (s.run < kResizeRun && s.lines > 1) return stretch_columns(s);
  for (int i = 0; i < s.lines; ++i) {
    if (s.run < kResizeRun) stretch_single(s, s.src[i], s.dst[i]);
    else stretch_runs(s, s.src[i], s.dst[i]);
  }
}
