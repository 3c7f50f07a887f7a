// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of a band of output rows, over the vector type F32, and that of groups of a few channels, whose lanes look at the
// channels of their group one after the other. Sets define before it permute(x, lanes) and keep_in_registers().
//
// An output row is cut into border pixels, whose taps in the padding are skipped one pixel at a time, and an inside,
// which goes in tiles of T pixels x V vectors of channels with about eight chains in flight: that hides the latency of
// a fused multiply-add, in wide rows by pixels and in narrow ones by channels. Taps run (kd, kh, kw), one chain each.
#pragma once

#include <cstdint>

#include "core/kernels/conv/depthwise/taps.inl.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"
#include "core/kernels/simd/few_forms.inl.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr auto run_epilogue = RunEpilogue::ANYDIM_ISA;

constexpr int64_t kWeightFloats = 4096;  // of the channels that all pixels of a row have before the next ones: a third of the first cache

// What a tile does after its sums: the commonest chains act on registers, the others through the interpreter.
enum class Finish { store, relu, clip, hard_swish, hard_swish_affine, interpret };

// Where the outputs of a row begin: dst and operands at pixel 0, channel 0.
struct RowOutputs {
  Finish finish;
  bool held;  // by a clip before that, the chain's first function
  float* dst;
  const float* operand[kMaxEpilogueOperands];
};

inline void choose_finish(const DepthwiseJob& j, RowOutputs* out) {
  out->finish = Finish::interpret;
  out->held = false;
  if (j.dst_c != 1) return;
  int count = j.program->count - (rounding_at_end(*j.program) != UnaryFunction::identity);
  const auto* steps = j.program->steps;
  for (int i = 0; i < count; ++i)
    if (steps[i].kind != PostOp::Kind::unary) return;
  if (count > 1 && steps[0].unary == UnaryFunction::clip) {  // as activations of 16 bits are held
    out->held = true;
    ++steps, --count;
  }
  if (count == 0) out->finish = Finish::store;
  else if (count == 2 && steps[0].unary == UnaryFunction::hard_swish && steps[1].unary == UnaryFunction::affine)
    out->finish = Finish::hard_swish_affine;  // two of three depthwise layers of PP-OCRv4
  else if (count == 1 && steps[0].unary == UnaryFunction::relu) out->finish = Finish::relu;
  else if (count == 1 && steps[0].unary == UnaryFunction::clip) out->finish = Finish::clip;
  else if (count == 1 && steps[0].unary == UnaryFunction::hard_swish) out->finish = Finish::hard_swish;
}

// Post-ops and stores of `pixels` x `vectors` sums that lie in memory. `lanes`: valid channels of the last vector.
__attribute__((noinline)) void interpret_tile(const DepthwiseJob& j, const RowOutputs& out, int64_t x, int64_t c, int lanes,
                                              const float* sums, int pixels, int vectors) {
  float* dst[kTilePixelsMost];
  const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
  for (int t = 0; t < pixels; ++t) dst[t] = out.dst + (x + t) * j.dst_s[2] + c * j.dst_c;
  for (int o = 0; o < j.program->operand_count; ++o)
    for (int t = 0; t < pixels; ++t) operands[o][t] = out.operand[o] + (x + t) * j.operand_s[o][2] + c * j.program->walks[o].column_step;
  EpilogueTile tile;
  tile.sums = sums;
  tile.sums_step = vectors * kW;
  tile.rows = pixels;
  tile.columns = (vectors - 1) * kW + lanes;
  tile.dst = dst;
  tile.dst_column_step = j.dst_c;
  tile.bias = j.bias ? j.bias + c : nullptr;
  tile.operands = operands;
  run_epilogue(*j.program, tile);
}

template <int T, int V>
inline __attribute__((always_inline)) void finish_tile(const DepthwiseJob& j, const RowOutputs& out, int64_t x, int64_t c, int lanes,
                                                       F32 (&acc)[T][V]) {
  if (out.finish == Finish::interpret) {
    alignas(64) float sums[T * V * kW];
    // Every loop over acc must be unrolled, or the array lives in memory instead of registers.
#pragma GCC unroll copies(8)
    for (int t = 0; t < T; ++t)
#pragma GCC unroll copies(8)
      for (int v = 0; v < V; ++v) acc[t][v].store(sums + (t * V + v) * kW);
    interpret_tile(j, out, x, c, lanes, sums, T, V);
    return;
  }
  if (j.bias) {
#pragma GCC unroll copies(8)
    for (int v = 0; v < V; ++v) {
      const F32 b = F32::load(j.bias + c + v * kW);
#pragma GCC unroll copies(8)
      for (int t = 0; t < T; ++t) acc[t][v] = acc[t][v] + b;
    }
  }
  const auto* const rest = j.program->steps + (out.held ? 1 : 0);
  if (out.held) {
    const F32 low = F32::set(j.program->steps[0].alpha), high = F32::set(j.program->steps[0].beta);
    each(acc, [&](F32 y) { return clip(y, low, high); });
  }
  if (out.finish == Finish::relu) {
    each(acc, [](F32 y) { return relu(y); });
  } else if (out.finish == Finish::hard_swish) {
    each(acc, [](F32 y) { return hard_swish(y); });
  } else if (out.finish == Finish::hard_swish_affine) {
    const F32 alpha = F32::set(rest[1].alpha), beta = F32::set(rest[1].beta);
    each(acc, [&](F32 y) { return fma(alpha, hard_swish(y), beta); });
  } else if (out.finish == Finish::clip) {
    const F32 low = F32::set(rest[0].alpha), high = F32::set(rest[0].beta);
    each(acc, [&](F32 y) { return clip(y, low, high); });
  }
  float* p = out.dst + x * j.dst_s[2] + c;
#pragma GCC unroll copies(8)
  for (int t = 0; t < T; ++t, p += j.dst_s[2]) {
#pragma GCC unroll copies(8)
    for (int v = 0; v < V - 1; ++v) acc[t][v].store(p + v * kW);
    if (lanes == kW) acc[t][V - 1].store(p + (V - 1) * kW);
    else acc[t][V - 1].store_partial(p + (V - 1) * kW, lanes);
  }
}

// Which body the inside of rows runs.
enum class Window { any, k3s1, k3s2, k5s1, k5s2, k7s1 };

inline Window window_of(const DepthwiseJob& j) {
  if (!(kManyRegisters || kSomeRegisters) || j.dilation[2] != 1) return Window::any;
  // Six chains of 27 taps would wait for themselves; of nine, those of the next tiles run beside them.
  if (kSomeRegisters) return j.kernel[2] == 3 && j.stride[2] == 1 && j.kernel[0] * j.kernel[1] <= 3 ? Window::k3s1 : Window::any;
  if (j.kernel[2] == 3) return j.stride[2] == 1 ? Window::k3s1 : j.stride[2] == 2 ? Window::k3s2 : Window::any;
  if (j.kernel[2] == 5) return j.stride[2] == 1 ? Window::k5s1 : j.stride[2] == 2 ? Window::k5s2 : Window::any;
  if (j.kernel[2] == 7 && j.stride[2] == 1) return Window::k7s1;
  return Window::any;
}

// T pixels x V vectors from channel c on, and again up to channel `end`: what a tile of them needs is the same for all.
template <Window kWindow, int T, int V, class Load>
__attribute__((noinline)) void windowed_tiles(const DepthwiseJob& j, const RowTaps& rows, const RowOutputs& out, int64_t x, int64_t c,
                                              int64_t end, int lanes, Place at, const Load& load) {
  const int64_t base = at.src;
  for (; c < end; c += V * kW) {
    F32 acc[T][V];
    at.src = base + (kPlain<Load> ? c : 0);
    at.channel = c;
    if constexpr (kWindow == Window::k3s1) accumulate_fixed<3, 1>(j, rows, at, load, acc);
    else if constexpr (kWindow == Window::k3s2) accumulate_fixed<3, 2>(j, rows, at, load, acc);
    else if constexpr (kWindow == Window::k5s1) accumulate_fixed<5, 1>(j, rows, at, load, acc);
    else if constexpr (kWindow == Window::k5s2) accumulate_fixed<5, 2>(j, rows, at, load, acc);
    else if constexpr (kWindow == Window::k7s1) accumulate_fixed<7, 1>(j, rows, at, load, acc);
    else accumulate(j, rows, at, load, acc);
    finish_tile(j, out, x, c, lanes, acc);
  }
}

template <int T, class Load>
__attribute__((noinline)) void grouped_tiles(const DepthwiseJob& j, const RowTaps& rows, const RowOutputs& out, int64_t x, int64_t c,
                                             int64_t end, Place at, Load load) {
  alignas(64) float lanes[kW];
  for (int32_t i = 0; i < kW; ++i) lanes[i] = __builtin_bit_cast(float, i & ~static_cast<int32_t>(j.group - 1));
  const F32::Int first = bits(F32::load(lanes));
  const int64_t base = at.src;
  for (; c < end; c += kW) {
    F32 acc[T][1];
    load.lanes = static_cast<int>(end - c < kW ? end - c : kW);
    if constexpr (kPlain<Load>) at.src = base + c;
    else
      for (int i = 0; i < load.lanes; ++i) load.offset[i] = (c + i) * j.src_c;
    at.channel = c;
#ifdef ANYDIM_HALVES
    if (T > 1 && kPlain<Load> && j.group == kW / 2 && load.lanes == kW) accumulate_eights(j, rows, at, first, acc);
    else
#endif
      accumulate_grouped(j, rows, at, load, first, acc);
    finish_tile(j, out, x, c, load.lanes, acc);
  }
}

template <int T, int V, class Load>
inline void tiles(const DepthwiseJob& j, const RowTaps& rows, const RowOutputs& out, Window window, int64_t x, int64_t c, int64_t end,
                  int lanes, const Place& at, const Load& load) {
  if constexpr (!kPlain<Load>) {
    if constexpr (kManyRegisters && T > 4)
      if (window == Window::k3s1) return windowed_tiles<Window::k3s1, T, V>(j, rows, out, x, c, end, lanes, at, load);
  } else if constexpr (kManyRegisters && T > 2 && V == 1) {
    const Partial part{lanes};  // whole vectors, too: it costs nothing where inputs are loaded once
    switch (window) {
      case Window::k3s1: return windowed_tiles<Window::k3s1, T, V>(j, rows, out, x, c, end, lanes, at, part);
      case Window::k3s2: return windowed_tiles<Window::k3s2, T, V>(j, rows, out, x, c, end, lanes, at, part);
      case Window::k5s1: return windowed_tiles<Window::k5s1, T, V>(j, rows, out, x, c, end, lanes, at, part);
      case Window::k5s2: return windowed_tiles<Window::k5s2, T, V>(j, rows, out, x, c, end, lanes, at, part);
      case Window::k7s1: return windowed_tiles<Window::k7s1, T, V>(j, rows, out, x, c, end, lanes, at, part);
      case Window::any: break;
    }
  }
  if constexpr (kSomeRegisters && T >= kFewestPixels && T <= kTilePixels && V == 1 && kPlain<Load>)
    if (window == Window::k3s1) return windowed_tiles<Window::k3s1, T, V>(j, rows, out, x, c, end, lanes, at, load);
  windowed_tiles<Window::any, T, V>(j, rows, out, x, c, end, lanes, at, load);
}

// One pixel whose input channels are apart from each other.
__attribute__((noinline)) void gathered_pixel(const DepthwiseJob& j, const RowTaps& rows, const RowOutputs& out, int64_t x, const Place& at,
                                              int64_t c0, int64_t c1) {
  if (j.group > 1) return grouped_tiles<1>(j, rows, out, x, c0, c1, at, Gathered{});
  for (int64_t c = c0; c < c1; c += kW) {
    Gathered load;
    load.lanes = static_cast<int>(c1 - c < kW ? c1 - c : kW);
    for (int i = 0; i < load.lanes; ++i) load.offset[i] = (c + i) / j.multiplier * j.src_c;
    windowed_tiles<Window::any, 1, 1>(j, rows, out, x, c, c + 1, load.lanes, at, load);
  }
}

// T pixels from x on, channels [c0, c1). `wide` vectors of channels share a tile where there are enough.
template <int T, int kWide>
void pixel_group(const DepthwiseJob& j, const RowTaps& rows, const RowOutputs& out, Window window, int64_t x, Place at, int64_t c0,
                 int64_t c1) {
  int64_t c = c0;
  if (j.group > 1 && j.src_c == 1) return grouped_tiles<T>(j, rows, out, x, c0, c1, at, Partial{});
  if (j.src_c != 1 || j.multiplier > kMostSpread) {
    // Reading them is what takes time: pixels are not taken together.
    for (int t = 0; t < T; ++t, ++x, at.src += j.stride[2] * j.src_s[2]) gathered_pixel(j, rows, out, x, at, c0, c1);
    return;
  }
  if (j.multiplier == 1) {
    const Dense load;
    if (kWide > 1 && (T < kFewestPixels || window == Window::any)) {
      const int64_t end = c + (c1 - c) / (kWide * kW) * (kWide * kW);
      if (c < end) tiles<T, kWide>(j, rows, out, window, x, c, end, kW, at, load);
      c = end;
    }
    const int64_t end = c + (c1 - c) / kW * kW;
    if (c < end) tiles<T, 1>(j, rows, out, window, x, c, end, kW, at, load);
    if (end < c1) {
      const Partial part{static_cast<int>(c1 - end)};
      tiles<T, 1>(j, rows, out, window, x, end, c1, part.lanes, at, part);
    }
    return;
  }
  for (; c < c1; c += kW) {
    const int lanes = static_cast<int>(c1 - c < kW ? c1 - c : kW);
    Place spread = at;
    spread.src += c / j.multiplier;
    tiles<T, 1>(j, rows, out, window, x, c, c + 1, lanes, spread, spread_from(c, lanes, j.multiplier));
  }
}

// Pixels x .. x + n - 1, all with kernel columns [k_begin, k_end), in even groups of at most eight (or six).
void pixels(const DepthwiseJob& j, const RowTaps& rows, const RowOutputs& out, Window window, int64_t x, int64_t n, int64_t k_begin,
            int64_t k_end, int64_t c0, int64_t c1) {
  const int64_t most = window == Window::any ? kTilePixelsMost : kTilePixels;
  for (int64_t groups = (n + most - 1) / most; kFewForms ? n > 0 : groups > 0; --groups) {
    const int64_t t = kFewForms ? rows_at_once(n, static_cast<int>(most)) : (n + groups - 1) / groups;
    const Place at{(x * j.stride[2] - j.pad[2]) * j.src_s[2], 0, k_begin, k_end};
    if constexpr (kTilePixelsMost == 8) {
      switch (t) {
        case 8: pixel_group<8, 1>(j, rows, out, window, x, at, c0, c1); break;
        case 7:
          if constexpr (has_form(7, 8)) pixel_group<7, 1>(j, rows, out, window, x, at, c0, c1);
          break;
        case 6: pixel_group<6, 1>(j, rows, out, window, x, at, c0, c1); break;
        case 5:
          if constexpr (has_form(5, 8)) pixel_group<5, 1>(j, rows, out, window, x, at, c0, c1);
          break;
        default: break;
      }
    }
    switch (t) {
      case 4: pixel_group<4, kVectorsLive ? 2 : 1>(j, rows, out, window, x, at, c0, c1); break;
      case 3:
        if constexpr (has_form(3, 8)) pixel_group<3, kVectorsLive ? 2 : 1>(j, rows, out, window, x, at, c0, c1);
        break;
      case 2: pixel_group<2, kVectorsLive ? 4 : 1>(j, rows, out, window, x, at, c0, c1); break;
      case 1: pixel_group<1, kVectorsLive ? 4 : 1>(j, rows, out, window, x, at, c0, c1); break;
      default: break;
    }
    x += t;
    n -= t;
  }
}

// Taps of an axis that read inside the input at output position `out`: [begin, end).
inline void valid_taps(const DepthwiseJob& j, int axis, int64_t out, int64_t* begin, int64_t* end) {
  const int64_t first = out * j.stride[axis] - j.pad[axis], d = j.dilation[axis], k = j.kernel[axis];
  if (d < 0) {
    *begin = first < j.in[axis] ? 0 : (first - j.in[axis]) / -d + 1;
    *end = first < 0 ? 0 : first / -d + 1;
    if (*end > k) *end = k;
    if (*begin > *end) *begin = *end;
    return;
  }
  *begin = first >= 0 ? 0 : (-first + d - 1) / d;
  *end = first >= j.in[axis] ? 0 : (j.in[axis] - first + d - 1) / d;
  if (*end > k) *end = k;
  if (*begin > *end) *begin = *end;
}

void depthwise_rows(const DepthwiseJob& j, int64_t row_begin, int64_t row_end, int64_t c0, int64_t c1) {
  const Window window = window_of(j);

  // The inside: output columns all of whose taps are inside.
  const int64_t last = (j.kernel[2] - 1) * j.dilation[2], before = last < 0 ? -last : 0, behind = last < 0 ? 0 : last;
  int64_t left = j.pad[2] + before <= 0 ? 0 : (j.pad[2] + before + j.stride[2] - 1) / j.stride[2];
  int64_t right = j.in[2] - 1 - behind + j.pad[2] < 0 ? 0 : (j.in[2] - 1 - behind + j.pad[2]) / j.stride[2] + 1;
  if (left > j.out[2]) left = j.out[2];
  if (right > j.out[2]) right = j.out[2];
  if (right < left) right = left;

  const int64_t taps = j.kernel[0] * j.kernel[1] * j.kernel[2] * j.group, fit = kWeightFloats / (taps > 0 ? taps : 1) / 64 * 64;
  const int64_t block = fit < 64 ? 64 : fit;
  RowTaps rows;
  RowOutputs out;
  choose_finish(j, &out);
  const UnaryFunction rounding = out.finish == Finish::interpret ? UnaryFunction::identity : rounding_at_end(*j.program);
  for (int64_t row = row_begin; row < row_end; ++row) {
    const int64_t h = row % j.out[1], d = row / j.out[1] % j.out[0], n = row / j.out[1] / j.out[0];
    int64_t d0, d1, h0, h1;
    valid_taps(j, 0, d, &d0, &d1);
    valid_taps(j, 1, h, &h0, &h1);
    rows.count = 0;
    for (int64_t kd = d0; kd < d1; ++kd)
      for (int64_t kh = h0; kh < h1; ++kh) {
        rows.src[rows.count] = j.src + n * j.src_n + (d * j.stride[0] - j.pad[0] + kd * j.dilation[0]) * j.src_s[0] +
                               (h * j.stride[1] - j.pad[1] + kh * j.dilation[1]) * j.src_s[1];
        rows.weights[rows.count++] = j.weights + (kd * j.kernel[1] + kh) * j.kernel[2] * j.group * j.padded;
      }
    out.dst = j.dst + n * j.dst_n + d * j.dst_s[0] + h * j.dst_s[1];
    for (int o = 0; o < j.program->operand_count; ++o)
      out.operand[o] = j.operand[o] + n * j.operand_n[o] + d * j.operand_s[o][0] + h * j.operand_s[o][1];
    // Some channels at a time, whose weights stay in the first cache from pixel to pixel.
    for (int64_t c = c0; c < c1; c += block) {
      const int64_t end = c + block < c1 ? c + block : c1;
      auto border = [&](int64_t x) {
        int64_t k0, k1;
        valid_taps(j, 2, x, &k0, &k1);
        pixels(j, rows, out, Window::any, x, 1, k0, k1, c, end);
      };
      for (int64_t x = 0; x < left; ++x) border(x);
      pixels(j, rows, out, window, left, right - left, 0, j.kernel[2], c, end);
      for (int64_t x = right; x < j.out[2]; ++x) border(x);
    }
    for (int64_t x = 0; rounding != UnaryFunction::identity && x < j.out[2]; ++x)
      round_line(rounding, out.dst + x * j.dst_s[2] + c0, c1 - c0);
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
