// SPDX-License-Identifier: Apache-2.0
// Convolution into a few channels over a vector type F32: lanes are positions of the output along a line, so that no lane is
// padding, as it is where lanes are channels. Include it INSIDE the anonymous namespace after the vector type.
//
// Some vectors, side by side on a line or on several lines where these are short, and all output channels are one block of sums.
// k runs as docs/numerics.md, section 1, has it; a tap that is padding for some lanes leaves their sums alone.

constexpr int kVectors = F32::kWidth >= 16 ? 4 : 2;  // sums of four channels stay in registers
constexpr int64_t kSumBlock = 128;

// Some taps, side by side along a kernel row and within one block of sums, for all vectors.
struct LineTaps {
  const float* at[kVectors];  // of the first tap and channel
  const float* weights;
  int64_t count, channels;
  int64_t step, line, weight_step;  // floats from tap to tap, from channel to channel; of the weights from tap to tap
  // Of taps that are padding for some lanes.
  int64_t from[kVectors];  // the position of lane 0
  bool inside[kVectors];   // the line that is read
  int64_t shift, shift_step, width;
};

// The lanes of a vector at `x` that meet the input at a tap `shift` to the right: those with 0 <= x + shift < width.
inline F32::Mask lanes_inside(int64_t x, int64_t shift, int64_t width) {
  constexpr int64_t W = F32::kWidth;
  const auto below = [](int64_t n) { return F32::first_lanes(static_cast<int>(n < 0 ? 0 : n > W ? W : n)); };
  return below(width - shift - x) & !below(-shift - x);
}

// sums[m][j] = fma(x, w, sums[m][j]) for all channels of all taps; `had` gets the lanes that one of them is inside for.
template <int M, bool kMasked> __attribute__((noinline)) void add_taps(const LineTaps& b, F32* sums, F32::Mask* had) {
  F32 acc[M][kVectors];
#pragma GCC unroll 4
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) acc[m][j] = sums[m * kVectors + j];
  const float* tap_weights = b.weights;
  int64_t tap = 0, shift = b.shift;
  for (int64_t i = 0; i < b.count; ++i, tap += b.step, shift += b.shift_step, tap_weights += b.weight_step) {
    F32::Mask lanes[kVectors];
    if constexpr (kMasked) {
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        lanes[j] = b.inside[j] ? lanes_inside(b.from[j], shift, b.width) : F32::first_lanes(0);
        had[j] = had[j] | lanes[j];
      }
    }
    int64_t at = tap;
    const float* w = tap_weights;
    for (int64_t c = 0; c < b.channels; ++c, at += b.line, w += kMostLineChannels) {
      F32 x[kVectors];
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        x[j] = F32::load(b.at[j] + at);
        // The loads cross cache lines: one for all channels, not one in each sum's instruction (three channels took 1.3 times as long
        // as four).
        __asm__("" : "+v"(x[j].v));
      }
#pragma GCC unroll 4
      for (int m = 0; m < M; ++m) {
        const F32 weight = F32::set(w[m]);
#pragma GCC unroll 4
        for (int j = 0; j < kVectors; ++j) {
          const F32 sum = fma(x[j], weight, acc[m][j]);
          if constexpr (kMasked) acc[m][j] = select(lanes[j], sum, acc[m][j]);
          else acc[m][j] = sum;
        }
      }
    }
  }
#pragma GCC unroll 4
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) sums[m * kVectors + j] = acc[m][j];
}

using AddTaps = void (*)(const LineTaps&, F32* sums, F32::Mask* had);
constexpr AddTaps kAddTaps[kMostLineChannels][2] = {{add_taps<1, false>, add_taps<1, true>},
                                                    {add_taps<2, false>, add_taps<2, true>},
                                                    {add_taps<3, false>, add_taps<3, true>},
                                                    {add_taps<4, false>, add_taps<4, true>}};

// Where a tap lies for the positions [begin, end) of a line.
enum class Inside { none, some, all };
inline Inside where(int64_t shift, int64_t begin, int64_t end, int64_t width) {
  if (end + shift <= 0 || begin + shift >= width) return Inside::none;
  return begin + shift >= 0 && end + shift <= width ? Inside::all : Inside::some;
}

void run_block(const LinesJob& job, int64_t y, int64_t x, int wide) {
  constexpr int W = F32::kWidth;
  const int outputs = static_cast<int>(job.outputs);
  const AddTaps* const add = kAddTaps[outputs - 1];
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
  const PhaseTaps &down = job.taps[0], &along = job.taps[1];
  const int64_t end = x + wide * W < job.width ? x + wide * W : job.width;  // lanes beyond are not stored
  LineTaps b;
  b.line = job.line;
  b.step = b.shift_step = along.shift_step;
  b.weight_step = along.k_step * job.channels * kMostLineChannels;
  b.width = job.in_width;
  for (int64_t ty = 0; ty < down.count; ++ty) {
    bool any_line = false, all_lines = true;
    const float* line[kVectors];
    for (int j = 0; j < kVectors; ++j) {
      int64_t row = row_of(j) + down.shift + ty * down.shift_step;
      b.from[j] = x + j % wide * W;
      b.inside[j] = row >= job.top && row < job.bottom;
      any_line = any_line || b.inside[j];
      all_lines = all_lines && b.inside[j];
      if (!b.inside[j]) row = job.top;
      line[j] = job.src + (row - job.top) * row_floats + b.from[j] - job.first_column;
    }
    if (!any_line) continue;
    int64_t n;
    for (int64_t tx = 0; tx < along.count; tx += n) {
      // Of the first channel of the tap.
      const int64_t k = ((down.k + ty * down.k_step) * job.kernel_width + along.k + tx * along.k_step) * job.channels;
      b.shift = along.shift + tx * along.shift_step;
      const Inside inside = where(b.shift, x, end, job.in_width);
      for (n = 1; tx + n < along.count && where(b.shift + n * along.shift_step, x, end, job.in_width) == inside;) ++n;
      if (inside == Inside::none) continue;
      // As many taps as a block of sums has to its end, or the channels of one up to there.
      const int64_t left = kSumBlock - k % kSumBlock, fit = (left - job.channels) / (along.k_step * job.channels) + 1;
      if (left < job.channels) n = 1;
      else if (fit < n) n = fit;
      b.count = n;
      const bool masked = inside == Inside::some || !all_lines;
      for (int64_t c = 0; c < job.channels; c += b.channels) {
        const int64_t room = kSumBlock - (k + c) % kSumBlock;
        b.channels = job.channels - c < room ? job.channels - c : room;
        if ((k + c) / kSumBlock != open) close();
        open = (k + c) / kSumBlock;
        for (int j = 0; j < kVectors; ++j) {
          b.at[j] = line[j] + b.shift + c * job.line;
          if (!masked) had[j] = all;
        }
        b.weights = job.weights + (k + c) * kMostLineChannels;
        add[masked ? 1 : 0](b, acc, had);
      }
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
