// SPDX-License-Identifier: Apache-2.0
// Pooling of one output row, over the vector type F32. Included inside an anonymous namespace after a simd header.

// The taps of one axis that fall inside the input, and how many fall inside the padded input.
struct Taps {
  int64_t begin, end, counted;
};

inline Taps taps_of(const PoolJob& j, int axis, int64_t out) {
  const int64_t first = out * j.stride[axis] - j.pad_begin[axis], d = j.dilation[axis], k = j.kernel[axis];
  auto below = [&](int64_t limit) {  // number of taps whose place is < limit
    if (first >= limit) return INT64_C(0);
    const int64_t n = (limit - first + d - 1) / d;
    return n < k ? n : k;
  };
  return {below(0), below(j.in[axis]), below(j.in[axis] + j.pad_end[axis])};
}

// V vectors of channels, `lanes` of the last one (V is 1 unless all are full). Strided: channels are not neighbours.
template <bool kAverage, int V, bool kFull> void pool_pixel(const PoolJob& j, const float* src, float* dst, const Taps* t, int lanes) {
  constexpr int W = F32::kWidth;
  auto load = [&](const float* p, int v) {
    if (kFull) return F32::load(p + v * W);
    return j.src_c == 1 ? F32::load_partial(p, lanes) : F32::load_strided(p, j.src_c, lanes);
  };
  F32 acc[V], total[V];
  for (int v = 0; v < V; ++v) acc[v] = total[v] = kAverage ? F32::zero() : F32::set(-__builtin_inff());
  bool any_block = false, any_tap = false;
  int64_t block_end = kPoolBlock;
  auto flush = [&] {
    if (any_tap)
      for (int v = 0; v < V; ++v) total[v] = any_block ? total[v] + acc[v] : acc[v];
    any_block = any_block || any_tap;
    any_tap = false;
    for (int v = 0; v < V; ++v) acc[v] = F32::zero();
  };
  // No element in the window: the other axes may be long all the same.
  const int64_t planes = t[1].begin < t[1].end && t[2].begin < t[2].end ? t[0].end : t[0].begin;
  for (int64_t d = t[0].begin; d < planes; ++d)
    for (int64_t h = t[1].begin; h < t[1].end; ++h) {
      const float* row = src + d * j.dilation[0] * j.src_s[0] + h * j.dilation[1] * j.src_s[1];
      const int64_t index = (d * j.kernel[1] + h) * j.kernel[2], step = j.dilation[2] * j.src_s[2];
      for (int64_t w = t[2].begin; w < t[2].end;) {
        int64_t end = t[2].end;
        if (kAverage) {
          if (index + w >= block_end) {
            flush();
            block_end = ((index + w) / kPoolBlock + 1) * kPoolBlock;
          }
          if (end > block_end - index) end = block_end - index;
          any_tap = true;
        }
        for (const float* p = row + w * step; w < end; ++w, p += step)
#pragma GCC unroll 4
          for (int v = 0; v < V; ++v) acc[v] = kAverage ? acc[v] + load(p, v) : max(acc[v], load(p, v));
      }
    }
  if (kAverage) {
    flush();
    int64_t count = 1;
    for (int a = 0; a < 3; ++a) count *= j.include_pad ? t[a].counted : t[a].end - t[a].begin;
    const F32 n = F32::set(static_cast<float>(count));
    for (int v = 0; v < V; ++v) acc[v] = total[v] / n;
  }
  if (kFull) {
    for (int v = 0; v < V; ++v) acc[v].store(dst + v * W);
  } else if (j.dst_c == 1) {
    acc[0].store_partial(dst, lanes);
  } else {
    float out[W];
    acc[0].store(out);
    for (int i = 0; i < lanes; ++i) dst[i * j.dst_c] = out[i];
  }
}

template <bool kAverage> void pool_row(const PoolJob& j, int64_t task) {
  constexpr int W = F32::kWidth;
  const int64_t block = task % j.channel_blocks, row = task / j.channel_blocks;
  const int64_t h = row % j.out[1], d = row / j.out[1] % j.out[0], n = row / j.out[1] / j.out[0];
  const int64_t c0 = block * j.channel_block;
  const int64_t c1 = c0 + j.channel_block < j.channels ? c0 + j.channel_block : j.channels;
  const bool dense = j.src_c == 1 && j.dst_c == 1;
  Taps t[3] = {taps_of(j, 0, d), taps_of(j, 1, h), {}};
  for (int64_t w = 0; w < j.out[2]; ++w) {
    t[2] = taps_of(j, 2, w);
    // The place of tap (0, 0, 0), which may lie outside; only taps inside are read.
    const int64_t src_at = n * j.src_n + (d * j.stride[0] - j.pad_begin[0]) * j.src_s[0] + (h * j.stride[1] - j.pad_begin[1]) * j.src_s[1] +
                           (w * j.stride[2] - j.pad_begin[2]) * j.src_s[2];
    float* dst = j.dst + n * j.dst_n + d * j.dst_s[0] + h * j.dst_s[1] + w * j.dst_s[2];
    int64_t c = c0;
    if (dense) {
      for (; c + 4 * W <= c1; c += 4 * W) pool_pixel<kAverage, 4, true>(j, j.src + src_at + c, dst + c, t, W);
      for (; c + W <= c1; c += W) pool_pixel<kAverage, 1, true>(j, j.src + src_at + c, dst + c, t, W);
    }
    for (; c < c1; c += W)
      pool_pixel<kAverage, 1, false>(j, j.src + src_at + c * j.src_c, dst + c * j.dst_c, t, static_cast<int>(c1 - c < W ? c1 - c : W));
  }
}

inline void pool_task(const PoolJob& j, int64_t task) { j.average ? pool_row<true>(j, task) : pool_row<false>(j, task); }
