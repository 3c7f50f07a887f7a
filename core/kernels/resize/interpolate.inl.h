// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize of one output row, over the vector type F32: pixel by pixel across channels, or along the row. Included inside an anonymous namespace after a
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
    const int rest = static_cast<int>(j.channels - c);
    if (rest > 0)
      interpolate<T, A>(p.place, p.weight, [&](const float* x) { return F32::load_partial(x + c, rest); }).store_partial(dst + c, rest);
    return;
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

// --- along the row ---------------------------------------------------------------------------------------------------

// One source line at its output's places along w.
template <int T> void stretch_line(const ResizeJob& j, const float* src, float* line) {
  if (j.table[2] == nullptr) {
    for (int64_t w = 0; w < j.out[2]; ++w) line[w] = src[w * j.src_s[2]];
    return;
  }
  for (int64_t w = 0; w < j.out[2]; ++w) {
    const ResizeEntry& e = j.table[2][w];
    float y = e.weight[0] * src[e.offset[0]];
    for (int t = 1; t < T; ++t) y = __builtin_fmaf(e.weight[t], src[e.offset[t]], y);
    line[w] = y;
  }
}

// y = the taps' lines, weighted.
template <int T> F32 weighted(const float* const* line, const float* weight, const auto& load) {
  F32 y = F32::set(weight[0]) * load(line[0]);
  for (int t = 1; t < T; ++t) y = fma(F32::set(weight[t]), load(line[t]), y);
  return y;
}

template <int T> void resize_rows(const ResizeJob& j, int64_t plane, int64_t begin, int64_t end, float* lines) {
  constexpr int W = F32::kWidth, kLines = T * T;
  const float* const src = j.src + plane / j.channels * j.src_n + plane % j.channels * j.src_c;
  float* const dst = j.dst + plane / j.channels * j.dst_n + plane % j.channels * j.dst_c;
  const int depths = j.table[0] ? T : 1, heights = j.table[1] ? T : 1, wanted = depths * heights;
  const float* kept[kLines] = {};  // whose stretched form is in each line
  for (int64_t row = begin; row < end; ++row) {
    const int64_t at[2] = {row / j.out[1], row % j.out[1]};
    const float *places[kLines], *line[kLines] = {};
    for (int i = 0; i < wanted; ++i) {
      places[i] = src;
      for (int a = 0; a < 2; ++a)
        places[i] += j.table[a] ? j.table[a][at[a]].offset[a == 0 ? i / heights : i % heights] : at[a] * j.src_s[a];
    }
    // Neighbouring rows share most of their lines: those that are there stay, the others are made where nobody wants what is.
    for (int i = 0; i < wanted; ++i)
      for (int k = 0; k < wanted; ++k)
        if (kept[k] == places[i]) line[i] = lines + k * j.out[2];
    for (int i = 0; i < wanted; ++i) {
      for (int k = 0; k < i && !line[i]; ++k)
        if (places[k] == places[i]) line[i] = line[k];
      for (int k = 0; k < wanted && !line[i]; ++k) {
        bool used = false;
        for (int o = 0; o < wanted; ++o) used |= kept[k] == places[o];
        if (used) continue;
        kept[k] = places[i];
        stretch_line<T>(j, places[i], lines + k * j.out[2]);
        line[i] = lines + k * j.out[2];
      }
    }
    float* const to = dst + at[0] * j.dst_s[0] + at[1] * j.dst_s[1];
    for (int64_t w = 0; w < j.out[2]; w += W) {
      const int lanes = static_cast<int>(j.out[2] - w < W ? j.out[2] - w : W);
      const auto load = [&](const float* x) { return lanes == W ? F32::load(x + w) : F32::load_partial(x + w, lanes); };
      F32 deep[T];
      for (int d = 0; d < depths; ++d)
        deep[d] = heights == 1 ? load(line[d]) : weighted<T>(line + d * heights, j.table[1][at[1]].weight, load);
      F32 y = deep[0];
      if (depths > 1) {
        const float* weight = j.table[0][at[0]].weight;
        y = F32::set(weight[0]) * deep[0];
        for (int d = 1; d < T; ++d) y = fma(F32::set(weight[d]), deep[d], y);
      }
      if (lanes == W) y.store(to + w);
      else y.store_partial(to + w, lanes);
    }
  }
}

inline void resize_plane(const ResizeJob& j, int64_t plane, int64_t begin, int64_t end, float* lines) {
  j.taps == 2 ? resize_rows<2>(j, plane, begin, end, lines) : resize_rows<4>(j, plane, begin, end, lines);
}
