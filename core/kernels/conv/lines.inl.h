// SPDX-License-Identifier: Apache-2.0
// Convolution into a few channels over a vector type F32: lanes are positions of the output along a line, so that no lane is
// padding, as it is where lanes are channels. Include it INSIDE the anonymous namespace after the vector type.
//
// Some vectors, side by side on a line or on several lines where these are short, and all output channels are one block of sums.
// k runs as docs/numerics.md, section 1, has it; a tap that is padding for some lanes leaves their sums alone.

constexpr int kVectors = F32::kWidth >= 16 ? 4 : 2;  // sums of four channels stay in registers
constexpr int64_t kSumBlock = 128;

struct LineBlock {
  const float* at[kVectors];  // of each vector, for one tap
  F32::Mask lanes[kVectors];
};

// acc[m][j] = fma(x, w, acc[m][j]) for n input channels of a tap.
template <int M, bool kMasked>
__attribute__((noinline)) void add_channels(const LineBlock& b, int64_t line, const float* w, int64_t n, F32* sums) {
  F32 acc[M][kVectors];
#pragma GCC unroll 4
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) acc[m][j] = sums[m * kVectors + j];
  int64_t at = 0;
  for (int64_t c = 0; c < n; ++c, at += line, w += kMostLineChannels) {
    F32 x[kVectors];
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) {
      x[j] = F32::load(b.at[j] + at);
      // The loads cross cache lines: one for all channels, not one in each sum's instruction (three channels took 1.3 times as long as
      // four).
      __asm__("" : "+v"(x[j].v));
    }
#pragma GCC unroll 4
    for (int m = 0; m < M; ++m) {
      const F32 weight = F32::set(w[m]);
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        const F32 sum = fma(x[j], weight, acc[m][j]);
        acc[m][j] = kMasked ? select(b.lanes[j], sum, acc[m][j]) : sum;
      }
    }
  }
#pragma GCC unroll 4
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) sums[m * kVectors + j] = acc[m][j];
}

// The lanes of a vector at `x` that meet the input at a tap `shift` to the right: those with 0 <= x + shift < width.
inline F32::Mask lanes_inside(int64_t x, int64_t shift, int64_t width) {
  constexpr int64_t W = F32::kWidth;
  const auto below = [](int64_t n) { return F32::first_lanes(static_cast<int>(n < 0 ? 0 : n > W ? W : n)); };
  return below(width - shift - x) & !below(-shift - x);
}

using AddChannels = void (*)(const LineBlock&, int64_t line, const float* w, int64_t n, F32* sums);
constexpr AddChannels kAddChannels[kMostLineChannels][2] = {{add_channels<1, false>, add_channels<1, true>},
                                                            {add_channels<2, false>, add_channels<2, true>},
                                                            {add_channels<3, false>, add_channels<3, true>},
                                                            {add_channels<4, false>, add_channels<4, true>}};

void run_block(const LinesJob& job, int64_t y, int64_t x, int wide) {
  constexpr int W = F32::kWidth;
  const int outputs = static_cast<int>(job.outputs);
  const AddChannels* const add = kAddChannels[outputs - 1];
  F32 acc[kMostLineChannels * kVectors], total[kMostLineChannels * kVectors];
  for (int i = 0; i < outputs * kVectors; ++i) {
    acc[i] = F32::zero();
    total[i] = F32::set(-0.f);  // to which a first block's value adds unchanged
  }
  const F32::Mask none = F32::first_lanes(0), all = F32::first_lanes(W);
  F32::Mask had[kVectors], ever[kVectors];
  for (int j = 0; j < kVectors; ++j) had[j] = ever[j] = none;
  const auto close = [&] {
    for (int j = 0; j < kVectors; ++j) {
      for (int m = 0; m < outputs; ++m) {
        F32 &t = total[m * kVectors + j], &a = acc[m * kVectors + j];
        t = select(had[j], t + a, t);
        a = F32::zero();
      }
      ever[j] = ever[j] | had[j];
      had[j] = none;
    }
  };
  const int64_t row_floats = job.channels * job.line;
  // A line beyond the last is the last once more, and is not stored.
  const auto row_of = [&](int j) { return y + j / wide < job.end ? y + j / wide : job.end - 1; };
  int64_t open = 0;  // the block that acc belongs to
  for (int64_t ty = 0; ty < job.taps[0].count; ++ty)
    for (int64_t tx = 0; tx < job.taps[1].count; ++tx) {
      const PhaseTaps &down = job.taps[0], &along = job.taps[1];
      // Of the first channel of the tap.
      const int64_t k = ((down.k + ty * down.k_step) * job.kernel_width + along.k + tx * along.k_step) * job.channels;
      const int64_t shift = along.shift + tx * along.shift_step;
      LineBlock b;
      bool some = false, whole = true;
      for (int j = 0; j < kVectors; ++j) {
        const int64_t from = x + j % wide * W;
        int64_t row = row_of(j) + down.shift + ty * down.shift_step;
        const bool inside = row >= job.top && row < job.bottom;
        if (!inside) row = job.top;
        b.at[j] = job.src + (row - job.top) * row_floats + from + shift - job.first_column;
        b.lanes[j] = inside ? lanes_inside(from, shift, job.in_width) : none;
        some = some || any(b.lanes[j]);
        whole = whole && mask_bits(b.lanes[j]) == mask_bits(all);
      }
      if (!some) continue;
      const float* w = job.weights + k * kMostLineChannels;
      for (int64_t c = 0, n; c < job.channels; c += n) {
        if ((k + c) / kSumBlock != open) close();
        open = (k + c) / kSumBlock;
        n = kSumBlock - (k + c) % kSumBlock;
        if (n > job.channels - c) n = job.channels - c;
        LineBlock part = b;
        for (int j = 0; j < kVectors; ++j) {
          part.at[j] += c * job.line;
          had[j] = had[j] | b.lanes[j];
        }
        add[whole ? 0 : 1](part, job.line, w + c * kMostLineChannels, n, acc);
      }
    }
  close();
  for (int j = 0; j < kVectors; ++j) {
    const int64_t row = y + j / wide, from = x + j % wide * W;
    if (row >= job.end || from >= job.width) continue;
    const int lanes = static_cast<int>(job.width - from < W ? job.width - from : W);
    for (int m = 0; m < outputs; ++m) {
      F32 v = select(ever[j], total[m * kVectors + j], F32::zero());
      if (job.has_bias) v = v + F32::set(job.bias[m]);
      float* to = job.dst + m * job.dst_c + row * job.dst_y + from * job.dst_x;
      if (job.dst_x == 1) {
        if (lanes == W) v.store(to);
        else v.store_partial(to, lanes);
      } else {
        float t[W];
        v.store(t);
        for (int i = 0; i < lanes; ++i) to[i * job.dst_x] = t[i];
      }
    }
  }
}

inline void conv_lines(const LinesJob& job) {
  constexpr int W = F32::kWidth;
  int wide = kVectors;
  while (wide > 1 && job.width <= wide / 2 * W) wide /= 2;
  for (int64_t y = job.begin; y < job.end; y += kVectors / wide)
    for (int64_t x = 0; x < job.width; x += wide * W) run_block(job, y, x, wide);
}
