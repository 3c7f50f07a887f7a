// SPDX-License-Identifier: Apache-2.0
// Convolution into a few channels over a vector type F32: lanes are positions of the output along a line, so that no lane is padding, as it
// is where lanes are channels.
//
// Some vectors, side by side on a line or on several lines where these are short, and all output channels are one block of sums.
// k runs as docs/numerics.md, section 1, has it; a tap that is padding for some lanes leaves their sums alone.
#pragma once

#include <cstdint>

#include "core/kernels/conv/lines_job.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kVectors = F32::kWidth >= 16 ? 4 : 2;  // sums of four channels stay in registers
constexpr int64_t kSumBlock = 128;

// Some taps, side by side along a kernel row.
struct LineRun {
  int64_t offset;  // from LineTaps::at to the first tap and channel
  const float* weights;
  int64_t count, channels;
  int64_t shift;  // of the first
  bool masked;    // they are padding for some lanes
};

// Runs of one block of sums, for all vectors.
constexpr int kMostRuns = kSumBlock;
struct LineTaps {
  const float* at[kVectors];
  int64_t step, line, weight_step;  // floats from tap to tap, from channel to channel; of the weights from tap to tap
  int64_t from[kVectors];           // the position of lane 0
  bool inside[kVectors];            // the line that is read
  int64_t width;                    // of lines
  int count = 0;
  LineRun runs[kMostRuns];
};

// The lanes of a vector at `x` that meet the input at a tap `shift` to the right: those with 0 <= x + shift < width.
inline F32::Mask lanes_inside(int64_t x, int64_t shift, int64_t width) {
  constexpr int64_t W = F32::kWidth;
  const auto below = [](int64_t n) { return F32::first_lanes(static_cast<int>(n < 0 ? 0 : n > W ? W : n)); };
  return below(width - shift - x) & !below(-shift - x);
}

// acc[m][j] = fma(x, w, acc[m][j]) for all channels of the taps of a run; `had` gets the lanes that one of them is inside for.
template <int M, bool kMasked>
inline __attribute__((always_inline)) void add_run(const LineTaps& b, const LineRun& run, F32 (&acc)[M][kVectors], F32::Mask* had) {
  const float* tap_weights = run.weights;
  int64_t tap = run.offset, shift = run.shift;
  for (int64_t i = 0; i < run.count; ++i, tap += b.step, shift += b.step, tap_weights += b.weight_step) {
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
    for (int64_t c = 0; c < run.channels; ++c, at += b.line, w += kMostLineChannels) {
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
}
template <int M> __attribute__((noinline)) void add_taps(const LineTaps& b, F32* sums, F32::Mask* had) {
  F32 acc[M][kVectors];
#pragma GCC unroll 4
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) acc[m][j] = sums[m * kVectors + j];
  for (int r = 0; r < b.count; ++r)
    if (b.runs[r].masked) add_run<M, true>(b, b.runs[r], acc, had);
    else add_run<M, false>(b, b.runs[r], acc, had);
#pragma GCC unroll 4
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) sums[m * kVectors + j] = acc[m][j];
}

using AddTaps = void (*)(const LineTaps&, F32* sums, F32::Mask* had);
constexpr AddTaps kAddTaps[kMostLineChannels] = {add_taps<1>, add_taps<2>, add_taps<3>, add_taps<4>};

// Neighbouring taps of a kernel row that are inside for all positions [begin, end) of a line, or for some; those inside for none are left
// out.
struct Span {
  int64_t first, count;
  bool all;
};
inline int spans_of(const PhaseTaps& taps, int64_t begin, int64_t end, int64_t width, Span (&to)[3]) {
  // Taps by their shift: from `some` on a part of the positions reads inside the line, from `all` to before `fewer` all positions do, from
  // `none` on no position does. The shifts of taps may rise or fall.
  const bool back = taps.shift_step < 0;
  const int64_t step = back ? -taps.shift_step : taps.shift_step;
  const int64_t some = 1 - end, none = width - begin, all = -begin < none ? -begin : none,
                fewer = width - end + 1 > all ? width - end + 1 : all;
  const auto before = [&](int64_t shift) {  // taps until one is at `shift` or behind it
    const int64_t way = back ? taps.shift - shift + 1 : shift - taps.shift;
    if (way <= 0 || step == 0) return INT64_C(0);
    const int64_t n = step == 1 ? way : (way + step - 1) / step;
    return n < taps.count ? n : taps.count;
  };
  const int64_t cuts[4] = {before(back ? none : some), before(back ? fewer : all), before(back ? all : fewer), before(back ? some : none)};
  int count = 0;
  for (int i = 0; i < 3; ++i)
    if (cuts[i] < cuts[i + 1]) to[count++] = {cuts[i], cuts[i + 1] - cuts[i], i == 1};
  return count;
}

// A block of positions: kVectors vectors, `wide` of them side by side on a line. Its x stays, its lines move on.
struct LineBlock {
  const LinesJob& job;
  const int64_t x, end;  // lanes from `end` on are not stored
  const int wide, outputs;
  const AddTaps add;
  const int64_t row_floats;
  int64_t y = 0;
  Span spans[3];
  int span_count;
  F32 acc[kMostLineChannels * kVectors], total[kMostLineChannels * kVectors];
  F32::Mask had[kVectors], ever[kVectors];
  int64_t open = 0;  // the block of sums that acc belongs to
  LineTaps taps, some;
  // The runs of lines whose taps are all inside are the same for each of them: where they are one block, they are made once.
  int kept = 0;
  F32::Mask kept_had[kVectors];
  int flushes = 0, flushed = 0;  // of this line; the last one's runs
  bool whole = false;            // the taps are all inside

  LineBlock(const LinesJob& lines, int64_t column, int vectors)
      : job(lines),
        x(column),
        end(column + vectors * F32::kWidth < lines.width ? column + vectors * F32::kWidth : lines.width),
        wide(vectors),
        outputs(static_cast<int>(lines.outputs)),
        add(kAddTaps[lines.outputs - 1]),
        row_floats(lines.channels * lines.line) {
    taps.line = job.line;
    taps.step = job.taps[1].shift_step;
    taps.weight_step = job.taps[1].k_step * job.channels * kMostLineChannels;
    taps.width = job.in_width;
    for (int j = 0; j < kVectors; ++j) {
      taps.from[j] = x + j % wide * F32::kWidth;
      taps.inside[j] = true;
    }
    span_count = spans_of(job.taps[1], x, end, job.in_width, spans);
  }

  // A line beyond the last is the last once more, and is not stored.
  int64_t row_of(int j) const { return y + j / wide < job.end ? y + j / wide : job.end - 1; }

  void flush() {
    if (taps.count == 0) return;
    add(taps, acc, had);
    ++flushes;
    flushed = taps.count;
    taps.count = 0;
  }
  void close() {
    flush();
    for (int j = 0; j < kVectors; ++j) {
      for (int m = 0; m < outputs; ++m) {
        F32 &t = total[m * kVectors + j], &a = acc[m * kVectors + j];
        t = select(had[j], t + a, t);
        a = F32::zero();
      }
      ever[j] = ever[j] | had[j];
      had[j] = F32::first_lanes(0);
    }
  }

  // Taps of one kernel row that begins at tap `first` of all and reads lines `below` these.
  void add_span(const Span& span, int64_t first, int64_t below, bool all_lines) {
    const PhaseTaps& along = job.taps[1];
    const int64_t behind = span.first + span.count, tap_step = along.k_step * job.channels;
    const bool masked = !span.all || !all_lines;
    LineTaps& to = all_lines ? taps : some;
    for (int64_t tx = span.first, n; tx < behind; tx += n) {
      const int64_t k = first + tx * tap_step, shift = along.shift + tx * along.shift_step;  // of the first channel of the tap
      // As many taps as a block of sums has to its end, or the channels of one up to there.
      const int64_t left = kSumBlock - k % kSumBlock;
      n = behind - tx;
      if (left < job.channels) n = 1;
      else if ((n - 1) * tap_step + job.channels > left) n = (left - job.channels) / tap_step + 1;
      for (int64_t c = 0, channels; c < job.channels; c += channels) {
        const int64_t room = kSumBlock - (k + c) % kSumBlock;
        channels = job.channels - c < room ? job.channels - c : room;
        if ((k + c) / kSumBlock != open) close();
        open = (k + c) / kSumBlock;
        if (!masked)
          for (int j = 0; j < kVectors; ++j) had[j] = F32::first_lanes(F32::kWidth);
        to.runs[to.count++] = {
            below * row_floats + shift + c * job.line, job.weights + (k + c) * kMostLineChannels, n, channels, shift, masked};
        if (all_lines) continue;
        add(some, acc, had);
        some.count = 0;
      }
    }
  }

  void add_row(int64_t ty) {
    const PhaseTaps& down = job.taps[0];
    const int64_t below = down.shift + ty * down.shift_step;
    const int64_t first = ((down.k + ty * down.k_step) * job.kernel_width + job.taps[1].k) * job.channels;
    int lines = 0;
    for (int j = 0; j < kVectors; ++j) lines += row_of(j) + below >= job.top && row_of(j) + below < job.bottom;
    whole = whole && lines == kVectors;
    if (lines == 0) return;
    if (lines < kVectors) {
      flush();
      some = taps;
      for (int j = 0; j < kVectors; ++j) {
        const int64_t row = row_of(j) + below;
        some.inside[j] = row >= job.top && row < job.bottom;
        if (!some.inside[j]) some.at[j] += (job.top - row) * row_floats;  // any line that is there: it is not added
      }
    }
    for (int i = 0; i < span_count; ++i) add_span(spans[i], first, below, lines == kVectors);
  }

  void run(int64_t line) {
    y = line;
    const PhaseTaps& down = job.taps[0];
    for (int j = 0; j < kVectors; ++j) {
      taps.at[j] = job.src + (row_of(j) - job.top) * row_floats + taps.from[j] - job.first_column;
      had[j] = ever[j] = F32::first_lanes(0);
    }
    for (int i = 0; i < outputs * kVectors; ++i) acc[i] = F32::zero();
    const int64_t last = down.shift + (down.count - 1) * down.shift_step;
    const int64_t low = last < down.shift ? last : down.shift, high = last < down.shift ? down.shift : last;
    if (kept > 0 && row_of(0) + low >= job.top && row_of(kVectors - 1) + high < job.bottom) {
      taps.count = kept;
      add(taps, acc, had);
      taps.count = 0;
      for (int j = 0; j < kVectors; ++j) ever[j] = kept_had[j];
      return store(acc);
    }
    for (int i = 0; i < outputs * kVectors; ++i) total[i] = F32::set(-0.f);  // to which a first block's value adds unchanged
    open = 0;
    flushes = 0;
    whole = true;
    for (int64_t ty = 0; ty < down.count; ++ty) add_row(ty);
    close();
    kept = whole && flushes == 1 ? flushed : 0;
    for (int j = 0; j < kVectors; ++j) kept_had[j] = ever[j];
    store(total);
  }

  void store(const F32* sums) const {
    constexpr int W = F32::kWidth;
    for (int j = 0; j < kVectors; ++j) {
      const int64_t row = y + j / wide, from = taps.from[j];
      if (row >= job.end || from >= job.width) continue;
      const int lanes = static_cast<int>(job.width - from < W ? job.width - from : W);
      for (int m = 0; m < outputs; ++m) {
        F32 v = select(ever[j], sums[m * kVectors + j], F32::zero());
        if (job.has_bias) v = v + F32::set(job.bias[m]);
        float* to = job.dst + m * job.dst_c + row * job.dst_y + from * job.dst_x;
        if (job.dst_x == 1) {
          if (lanes == W) v.store(to);
          else v.store_partial(to, lanes);
          continue;
        }
        float t[W];
        v.store(t);
        for (int i = 0; i < lanes; ++i) to[i * job.dst_x] = t[i];
      }
    }
  }
};

inline void conv_lines(const LinesJob& job) {
  constexpr int W = F32::kWidth;
  int wide = kVectors;
  while (wide > 1 && job.width <= wide / 2 * W) wide /= 2;
  for (int64_t x = 0; x < job.width; x += wide * W) {
    LineBlock block(job, x, wide);
    for (int64_t y = job.begin; y < job.end; y += kVectors / wide) block.run(y);
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
