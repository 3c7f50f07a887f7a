// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize of one output row, over the vector type F32. Included inside an anonymous namespace after a
// simd header. Interpolation is separable, the last axis first.

// Places and weights of one output pixel: T^A places, the last axis fastest.
struct Pixel {
  const float* place[64];
  float weight[3][4];
};

template <int T, int A, class Load> F32 interpolate(const float* const* place, const float (*weight)[4], const Load& load) {
  if constexpr (A == 0) {
    return load(place[0]);
  } else {
    constexpr int kStep = A == 1 ? 1 : A == 2 ? T : T * T;
    F32 y = F32::set(weight[0][0]) * interpolate<T, A - 1>(place, weight + 1, load);
    for (int t = 1; t < T; ++t) y = fma(F32::set(weight[0][t]), interpolate<T, A - 1>(place + t * kStep, weight + 1, load), y);
    return y;
  }
}

template <int T, int A> void resize_pixel(const ResizeJob& j, const Pixel& p, float* dst) {
  constexpr int W = F32::kWidth;
  int64_t c = 0;
  if (j.src_c == 1 && j.dst_c == 1) {
    for (; c + W <= j.channels; c += W)
      interpolate<T, A>(p.place, p.weight, [&](const float* x) { return F32::load(x + c); }).store(dst + c);
  }
  for (; c < j.channels; c += W) {
    const int lanes = static_cast<int>(j.channels - c < W ? j.channels - c : W);
    const F32 y = interpolate<T, A>(p.place, p.weight, [&](const float* x) { return F32::load_strided(x + c * j.src_c, j.src_c, lanes); });
    float out[W];
    y.store(out);
    for (int i = 0; i < lanes; ++i) dst[(c + i) * j.dst_c] = out[i];
  }
}

template <int T> void resize_row(const ResizeJob& j, int64_t task) {
  const int64_t at[2] = {task / j.out[1] % j.out[0], task % j.out[1]};
  const int64_t n = task / j.out[1] / j.out[0];
  const float* src = j.src + n * j.src_n;
  float* dst = j.dst + n * j.dst_n + at[0] * j.dst_s[0] + at[1] * j.dst_s[1];
  for (int64_t w = 0; w < j.out[2]; ++w, dst += j.dst_s[2]) {
    Pixel p;
    int count = 1, axis = 0;
    p.place[0] = src;
    for (int a = 0; a < 3; ++a) {
      const int64_t x = a == 2 ? w : at[a];
      if (j.table[a] == nullptr) {
        for (int i = 0; i < count; ++i) p.place[i] += x * j.src_s[a];
        continue;
      }
      const ResizeEntry& e = j.table[a][x];
      for (int i = count - 1; i >= 0; --i)
        for (int t = T - 1; t >= 0; --t) p.place[i * T + t] = p.place[i] + e.offset[t];
      for (int t = 0; t < T; ++t) p.weight[axis][t] = e.weight[t];
      count *= T;
      ++axis;
    }
    switch (j.axes) {
      case 0: resize_pixel<T, 0>(j, p, dst); break;
      case 1: resize_pixel<T, 1>(j, p, dst); break;
      case 2: resize_pixel<T, 2>(j, p, dst); break;
      default: resize_pixel<T, 3>(j, p, dst); break;
    }
  }
}

inline void resize_task(const ResizeJob& j, int64_t task) { j.taps == 2 ? resize_row<2>(j, task) : resize_row<4>(j, task); }
