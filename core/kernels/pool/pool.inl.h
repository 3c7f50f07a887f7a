// SPDX-License-Identifier: Apache-2.0
// Pooling of one output row, over the vector type F32.
#pragma once

#include <cstdint>

#include "core/kernels/pool/pool_job.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

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

// p[0], p[2], p[4], ...: nothing behind the last of them is read.
inline F32 load_every_second(const float* p) {
  constexpr int W = F32::kWidth;
  typedef float Lanes __attribute__((vector_size(W * sizeof(float))));
  typedef int32_t Places __attribute__((vector_size(W * sizeof(int32_t))));
  Lanes low, high;
  __builtin_memcpy(&low, p, sizeof low);
  __builtin_memcpy(&high, p + W - 1, sizeof high);
  Places places;
  for (int i = 0; i < W; ++i) places[i] = i < W / 2 ? 2 * i : 2 * i + 1;  // in `high` one place further
  return __builtin_bit_cast(F32, __builtin_shuffle(low, high, places));
}

// V vectors of channels, `lanes` of the last one (V is 1 unless all are full). Strided: channels are not neighbours.
template <bool kAverage, int V, bool kFull> void pool_pixel(const PoolJob& j, const float* src, float* dst, const Taps* t, int lanes) {
  constexpr int W = F32::kWidth;
  auto load = [&](const float* p, int v) {
    if (kFull) return F32::load(p + v * W);
    if (j.src_c == 2 && lanes == W) return load_every_second(p);
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
#pragma GCC unroll copies(4)
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

// Maxima of the inside of a row, where all taps along it are, of whole vectors of neighbouring channels: first down each column, then
// along, so that what neighbouring windows share is done once. Some columns and channels at a time, which wait in L1.
struct InsideRow {
  static constexpr int kMostRows = 16;
  static constexpr int64_t kMostFloats = 4096, kMostChannels = 256;
  const float* rows[kMostRows];  // of the window, those inside: at tap 0 of pixel 0, channel 0
  int count = 0;
  int64_t column;  // from input column to input column
  int64_t stride, dilation, taps;
  int64_t reach() const { return (taps - 1) * dilation + 1; }
};

// f(channel, vectors) over `width` channels, two vectors at a time.
template <class F> inline __attribute__((always_inline)) void over_channels(int64_t width, F f) {
  constexpr int W = F32::kWidth;
  int64_t c = 0;
  for (; c + 2 * W <= width; c += 2 * W) {
    f(c, 0);
    f(c + W, 1);
  }
  if (c < width) f(c, 0);
}

// n windows of three columns, S apart, and at most three rows, from `at` on, of V vectors of channels: the columns that the next window
// shares stay in registers. Is there no NaN among them? Sums show it; inf - inf looks like one.
template <int S, int V>
__attribute__((noinline)) bool max_of_three(const InsideRow& in, int64_t at, int64_t n, float* dst, int64_t dst_pixel) {
  constexpr int W = F32::kWidth;
  // Of fewer rows one stands for those that are missing.
  const float *top = in.rows[0] + at, *middle = in.rows[in.count / 2] + at, *bottom = in.rows[in.count - 1] + at;
  const int64_t step = in.column;
  constexpr int kShared = 3 - S;
  F32 shared[kShared][V], sum[2] = {F32::zero(), F32::zero()};
  const auto column = [&](int v, int64_t at) {
    const F32 x = F32::load(top + at + v * W), y = F32::load(middle + at + v * W), z = F32::load(bottom + at + v * W);
    sum[v % 2] = sum[v % 2] + ((x + y) + z);
    return max_of_numbers(max_of_numbers(x, y), z);
  };
  const auto advance = [&](int64_t by) {
    top += by;
    middle += by;
    bottom += by;
  };
#pragma GCC unroll copies(2)
  for (int i = 0; i < kShared; ++i, advance(step))
#pragma GCC unroll copies(4)
    for (int v = 0; v < V; ++v) shared[i][v] = column(v, 0);
  for (int64_t x = 0; x < n; ++x, dst += dst_pixel, advance(S * step))
#pragma GCC unroll copies(4)
    for (int v = 0; v < V; ++v) {
      const F32 middle_one = S == 1 ? shared[kShared - 1][v] : column(v, 0), last = column(v, (S - 1) * step);
      max_of_numbers(max_of_numbers(shared[0][v], middle_one), last).store(dst + v * W);
      if (S == 1) shared[0][v] = middle_one;
      shared[kShared - 1][v] = last;
    }
  return !any(is_nan(sum[0] + sum[1]));
}

// n columns from `at` on into most[n][width].
__attribute__((noinline)) bool max_down(const InsideRow& in, int64_t at, int64_t n, int64_t width, float* most) {
  F32 sum[2] = {F32::zero(), F32::zero()};
  for (int64_t x = 0; x < n; ++x, at += in.column, most += width)
    over_channels(width, [&](int64_t c, int which) {
      F32 m = F32::load(in.rows[0] + at + c), s = m;
      for (int r = 1; r < in.count; ++r) {
        const F32 y = F32::load(in.rows[r] + at + c);
        m = max_of_numbers(m, y);
        s = s + y;
      }
      m.store(most + c);
      sum[which] = sum[which] + s;
    });
  return !any(is_nan(sum[0] + sum[1]));
}
__attribute__((noinline)) void max_along(const InsideRow& in, const float* most, int64_t n, int64_t width, float* dst, int64_t dst_pixel) {
  const int64_t pixel = in.stride * width, tap = in.dilation * width;
  for (int64_t x = 0; x < n; ++x, most += pixel, dst += dst_pixel)
    over_channels(width, [&](int64_t c, int) {
      const float* p = most + c;
      F32 m = F32::load(p);
      for (int64_t k = 1; k < in.taps; ++k) m = max_of_numbers(m, F32::load(p += tap));
      m.store(dst + c);
    });
}

// Windows that share little are gone through tap by tap, V vectors at once. The instruction drops NaN and takes zeros of both signs as
// equal: the sum shows whether there may be a NaN, the common sign bits which zero it is.
template <int V, int K> inline __attribute__((always_inline)) bool max_of_window(const InsideRow& in, int64_t at, float* dst) {
  constexpr int W = F32::kWidth;
  F32 most[V], sum[V];
  F32::Int signs[V];
#pragma GCC unroll copies(2)
  for (int v = 0; v < V; ++v) {
    most[v] = F32::set(-__builtin_inff());
    sum[v] = F32::zero();
    signs[v] = set_int(sum[v], -1);
  }
  for (int r = 0; r < in.count; ++r) {
    const float* p = in.rows[r] + at;
#pragma GCC unroll copies(3)
    for (int64_t k = 0; k < (K > 0 ? K : in.taps); ++k, p += in.dilation * in.column)
#pragma GCC unroll copies(2)
      for (int v = 0; v < V; ++v) {
        const F32 x = F32::load(p + v * W);
        most[v] = pick_greater(x, most[v]);
        sum[v] = sum[v] + x;
        signs[v] = signs[v] & bits(x);
      }
  }
  if (any(is_nan(V > 1 ? sum[0] + sum[V - 1] : sum[0]))) return false;
#pragma GCC unroll copies(2)
  for (int v = 0; v < V; ++v) select(most[v] == F32::zero(), copysign(F32::zero(), from_bits(signs[v])), most[v]).store(dst + v * W);
  return true;
}
template <int K>
__attribute__((noinline)) bool max_windows(const InsideRow& in, int64_t begin, int64_t end, int64_t channels, float* dst,
                                           int64_t dst_pixel) {
  constexpr int W = F32::kWidth;
  for (int64_t x = begin; x < end; ++x) {
    const int64_t at = x * in.stride * in.column;
    int64_t c = 0;
    for (; c + 2 * W <= channels; c += 2 * W)
      if (!max_of_window<2, K>(in, at + c, dst + x * dst_pixel + c)) return false;
    if (c < channels && !max_of_window<1, K>(in, at + c, dst + x * dst_pixel + c)) return false;
  }
  return true;
}

// Pixels [begin, end), `channels` of them whole vectors. False where the exact way has to be gone instead.
bool max_inside(const InsideRow& in, int64_t begin, int64_t end, int64_t channels, float* dst, int64_t dst_pixel) {
  if (in.taps == 3 && in.dilation == 1 && in.stride <= 2 && in.count <= 3) {
    constexpr int W = F32::kWidth, V = 4;
    const auto some = in.stride == 1 ? max_of_three<1, V> : max_of_three<2, V>,
               one = in.stride == 1 ? max_of_three<1, 1> : max_of_three<2, 1>;
    const int64_t at = begin * in.stride * in.column;
    float* const to = dst + begin * dst_pixel;
    bool numbers = true;
    int64_t c = 0;
    for (; c + V * W <= channels; c += V * W) numbers = some(in, at + c, end - begin, to + c, dst_pixel) && numbers;
    for (; c < channels; c += W) numbers = one(in, at + c, end - begin, to + c, dst_pixel) && numbers;
    return numbers;
  }
  if (in.taps < 2 * in.stride || in.reach() > InsideRow::kMostFloats / InsideRow::kMostChannels) {
    const auto windows = in.taps == 2 ? max_windows<2> : in.taps == 3 ? max_windows<3> : max_windows<0>;
    return windows(in, begin, end, channels, dst, dst_pixel);
  }
  alignas(64) float most[InsideRow::kMostFloats];
  for (int64_t c = 0; c < channels; c += InsideRow::kMostChannels) {
    const int64_t width = channels - c < InsideRow::kMostChannels ? channels - c : InsideRow::kMostChannels;
    const int64_t each = (InsideRow::kMostFloats / width - in.reach()) / in.stride + 1;
    for (int64_t x = begin; x < end; x += each) {
      const int64_t n = end - x < each ? end - x : each;
      if (!max_down(in, x * in.stride * in.column + c, (n - 1) * in.stride + in.reach(), width, most)) return false;
      max_along(in, most, n, width, dst + x * dst_pixel + c, dst_pixel);
    }
  }
  return true;
}

// The largest of each of n neighbouring columns over the window's rows and planes.
inline void max_of_columns(const PoolJob& j, const float* src, const Taps (&t)[3], int64_t n, float* most) {
  constexpr int W = F32::kWidth;
  for (int64_t x = 0; x < n; x += W) {
    const int lanes = static_cast<int>(n - x < W ? n - x : W);
    F32 m = F32::set(-__builtin_inff());
    for (int64_t d = t[0].begin; d < t[0].end; ++d)
      for (int64_t h = t[1].begin; h < t[1].end; ++h) {
        const float* p = src + d * j.dilation[0] * j.src_s[0] + h * j.dilation[1] * j.src_s[1] + x;
        m = max(m, lanes == W ? F32::load(p) : F32::load_partial(p, lanes));
      }
    m.store(most + x);
  }
}

// Maxima of output pixels [begin, end) whose taps are all inside, of one channel whose columns are neighbours: down the columns first.
inline void max_of_pixels(const PoolJob& j, const float* src, float* dst, const Taps (&t)[3], int64_t begin, int64_t end) {
  constexpr int W = F32::kWidth;
  constexpr int64_t kColumns = 1024;
  alignas(64) float most[kColumns + W];
  const int64_t reach = (j.kernel[2] - 1) * j.dilation[2] + 1, each = (kColumns - reach) / j.stride[2] + 1;
  PoolJob along = j;
  along.src_c = j.stride[2];
  along.dst_c = j.dst_s[2];
  const Taps row[3] = {{0, 1, 1}, {0, 1, 1}, {0, j.kernel[2], j.kernel[2]}};
  for (int64_t first = begin; first < end; first += each) {
    const int64_t n = end - first < each ? end - first : each;
    max_of_columns(j, src + first * j.stride[2], t, (n - 1) * j.stride[2] + reach, most);
    for (int64_t w = 0; w < n; w += W)
      pool_pixel<false, 1, false>(along, most + w * j.stride[2], dst + (first + w) * along.dst_c, row,
                                  static_cast<int>(n - w < W ? n - w : W));
  }
}
// Whether that is worth it, and fits.
inline bool shares_columns(const PoolJob& j, const Taps (&t)[3]) {
  const int64_t rows = (t[0].end - t[0].begin) * (t[1].end - t[1].begin);
  return rows > 1 && j.kernel[2] <= 256 && j.dilation[2] <= 2 && j.stride[2] <= 64;
}

// n output pixels side by side whose windows are one column each: no pixel shares a tap with another, so only loads count.
template <bool kAverage> void pool_down(const PoolJob& j, const float* src, float* dst, const Taps (&t)[3], int64_t n) {
  constexpr int W = F32::kWidth;
  const auto taps = [&](const Taps& of) { return j.include_pad ? of.counted : of.end - of.begin; };
  const F32 count = F32::set(static_cast<float>(taps(t[0]) * taps(t[1])));
  for (int64_t w = 0; w < n; w += W) {
    const int lanes = static_cast<int>(n - w < W ? n - w : W);
    F32 acc = kAverage ? F32::zero() : F32::set(-__builtin_inff());
    for (int64_t d = t[0].begin; d < t[0].end; ++d) {
      const float* p = src + d * j.dilation[0] * j.src_s[0] + t[1].begin * j.dilation[1] * j.src_s[1] + w;
      for (int64_t h = t[1].begin; h < t[1].end; ++h, p += j.dilation[1] * j.src_s[1]) {
        const F32 x = lanes == W ? F32::load(p) : F32::load_partial(p, lanes);
        acc = kAverage ? acc + x : max(acc, x);
      }
    }
    if (kAverage) acc = acc / count;
    if (lanes == W) acc.store(dst + w);
    else acc.store_partial(dst + w, lanes);
  }
}
// Whether that is all: a window of one block, and some of it inside.
inline bool is_down(const PoolJob& j, const Taps (&t)[3]) {
  return j.kernel[2] == 1 && j.stride[2] == 1 && j.dst_s[2] == 1 && j.kernel[0] * j.kernel[1] <= kPoolBlock && t[0].begin < t[0].end &&
         t[1].begin < t[1].end;
}

// Few channels that are no neighbours: the lanes are output pixels of a row, channel by channel; those at its ends, where taps are
// missing, go alone.
template <bool kAverage>
void pool_row_of_pixels(const PoolJob& j, const float* src, float* dst, Taps (&t)[3], int64_t left, int64_t right) {
  constexpr int W = F32::kWidth;
  PoolJob along = j;
  along.src_c = j.stride[2] * j.src_s[2];
  along.dst_c = j.dst_s[2];
  const auto pixels = [&](int64_t w, int lanes) {
    pool_pixel<kAverage, 1, false>(along, src + w * along.src_c, dst + w * along.dst_c, t, lanes);
  };
  for (int64_t w = 0; w < j.out[2]; ++w) {
    if (w == left && left < right) {
      t[2] = {0, j.kernel[2], j.kernel[2]};
      if (is_down(j, t)) {
        pool_down<kAverage>(j, src + w, dst + w, t, right - left);
        w = right - 1;
        continue;
      }
      if (!kAverage && shares_columns(j, t)) {
        max_of_pixels(j, src, dst, t, left, right);
        w = right - 1;
        continue;
      }
      for (; w < right; w += W) pixels(w, static_cast<int>(right - w < W ? right - w : W));
      w = right - 1;
      continue;
    }
    t[2] = taps_of(j, 2, w);
    pixels(w, 1);
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
  // The inside, where all taps are: asking for them takes divisions.
  const int64_t last = j.in[2] - 1 + j.pad_begin[2] - (j.kernel[2] - 1) * j.dilation[2];
  const int64_t left = (j.pad_begin[2] + j.stride[2] - 1) / j.stride[2];
  const int64_t beyond = last < 0 ? 0 : last / j.stride[2] + 1, right = beyond < j.out[2] ? beyond : j.out[2];
  // The place of tap (0, 0, 0) of pixel 0, which may lie outside; only taps inside are read.
  const int64_t src_at = n * j.src_n + (d * j.stride[0] - j.pad_begin[0]) * j.src_s[0] + (h * j.stride[1] - j.pad_begin[1]) * j.src_s[1] -
                         j.pad_begin[2] * j.src_s[2];
  float* const dst_at = j.dst + n * j.dst_n + d * j.dst_s[0] + h * j.dst_s[1];
  if (j.pixels) {
    for (int64_t c = c0; c < c1; ++c) pool_row_of_pixels<kAverage>(j, j.src + src_at + c * j.src_c, dst_at + c * j.dst_c, t, left, right);
    return;
  }
  const int64_t height = t[1].end - t[1].begin, rows = height * (t[0].end - t[0].begin);
  bool done = false;  // whole vectors of the inside
  if (!kAverage && dense && left < right && rows > 0 && rows <= InsideRow::kMostRows) {
    InsideRow inside;
    for (int64_t r = 0; r < rows; ++r)
      inside.rows[inside.count++] = j.src + src_at + (t[0].begin + r / height) * j.dilation[0] * j.src_s[0] +
                                    (t[1].begin + r % height) * j.dilation[1] * j.src_s[1] + c0;
    inside.column = j.src_s[2];
    inside.stride = j.stride[2];
    inside.dilation = j.dilation[2];
    inside.taps = j.kernel[2];
    done = max_inside(inside, left, right, (c1 - c0) / W * W, dst_at + c0, j.dst_s[2]);
  }
  for (int64_t w = 0; w < j.out[2]; ++w) {
    int64_t c = done && w >= left && w < right ? c1 - (c1 - c0) % W : c0;
    if (c == c1) continue;
    t[2] = w >= left && w < right ? Taps{0, j.kernel[2], j.kernel[2]} : taps_of(j, 2, w);
    const float* src = j.src + src_at + w * j.stride[2] * j.src_s[2];
    float* dst = dst_at + w * j.dst_s[2];
    if (dense) {
      for (; c + 4 * W <= c1; c += 4 * W) pool_pixel<kAverage, 4, true>(j, src + c, dst + c, t, W);
      for (; c + W <= c1; c += W) pool_pixel<kAverage, 1, true>(j, src + c, dst + c, t, W);
    }
    for (; c < c1; c += W)
      pool_pixel<kAverage, 1, false>(j, src + c * j.src_c, dst + c * j.dst_c, t, static_cast<int>(c1 - c < W ? c1 - c : W));
  }
}

inline void pool_task(const PoolJob& j, int64_t task) { j.average ? pool_row<true>(j, task) : pool_row<false>(j, task); }

}  // namespace
}  // namespace anydim::ANYDIM_ISA
