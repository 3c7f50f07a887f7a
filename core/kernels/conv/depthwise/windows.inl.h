// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with windows of more taps than a block of docs/numerics.md section 1, over the vector type F32.
//
// Inputs and weights of 16 channels lie packed, 16 floats a position and 16 a tap. The sums of one block of taps are made for all pixels
// of a piece of a row before those of the next: its weights and the input rows that it reads stay in the first cache. At the ends of a
// row pixels differ in their taps: those that a tap of a tile's first or last kernel columns has are neighbours.
#pragma once

#include <cstdint>

#include "core/kernels/conv/depthwise/depthwise.inl.h"
#include "core/kernels/conv/depthwise/depthwise_job.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/rounding.inl.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kTile = kManyRegisters ? 12 : kTilePixelsMost;

// What one block reads for an output row: a part of each kernel row, whose columns are counted from the row's first tap of the phase.
struct BlockRows {
  int count = 0;
  const float* src[kDepthwiseBlock];
  const float* weights[kDepthwiseBlock];  // of column 0
  int64_t begin[kDepthwiseBlock], end[kDepthwiseBlock];
};

// Some neighbouring pixels, of which one kernel column at least is inside for all. Column k is inside for those before the `end` and from
// the `begin` on that are counted by it: both fall from pixel to pixel, which lie in reverse where taps go backwards.
struct WindowTile {
  int64_t x;     // of pixel 0
  int64_t step;  // to the next: 1 or -1
  int count;
  int64_t begin[kTile], end[kTile];
};

// acc[i] = fma(x, w, acc[i]) for pixels `first` and on, or all before `end`.
template <int i, int T>
inline __attribute__((always_inline)) void add_from(int first, const float* p, int64_t pixel, F32 weight, F32 (&acc)[T]) {
  if constexpr (i >= 0) {
    if (i < first) return;
    acc[i] = fma(F32::load(p + i * pixel), weight, acc[i]);
    add_from<i - 1>(first, p, pixel, weight, acc);
  }
}
template <int i, int T>
inline __attribute__((always_inline)) void add_before(int end, const float* p, int64_t pixel, F32 weight, F32 (&acc)[T]) {
  if constexpr (i < T) {
    if (i >= end) return;
    acc[i] = fma(F32::load(p + i * pixel), weight, acc[i]);
    add_before<i + 1>(end, p, pixel, weight, acc);
  }
}

struct WindowSteps {
  int64_t pixel, column, weight;  // floats
};

// The sums of a block for T pixels, `kNear`: which lie side by side, added to their totals where they have any of its taps.
template <int T, bool kNear>
__attribute__((noinline)) void add_block(const BlockRows& rows, const WindowTile& tile, int64_t src, const WindowSteps& by, uint32_t some,
                                         float* totals, int64_t total_step) {
  F32 acc[T];
#pragma GCC unroll copies(12)
  for (int t = 0; t < T; ++t) acc[t] = F32::zero();
  const int64_t pixel = kNear ? kDepthwisePadding : by.pixel;
  const int64_t first = tile.begin[T - 1], all = tile.begin[0], fewer = tile.end[T - 1], last = tile.end[0];
  for (int r = 0; r < rows.count; ++r) {
    int64_t k = rows.begin[r] > first ? rows.begin[r] : first;
    const int64_t end = rows.end[r] < last ? rows.end[r] : last;
    const float *p = rows.src[r] + src + k * by.column, *w = rows.weights[r] + k * by.weight;
    for (int from = T; k < end && k < all; ++k, p += by.column, w += by.weight) {
      while (from > 0 && tile.begin[from - 1] <= k) --from;
      add_from<T - 1>(from, p, pixel, F32::load(w), acc);
    }
    const int64_t whole = end < fewer ? end : fewer;
    for (; k < whole; ++k, p += by.column, w += by.weight) {
      const F32 weight = F32::load(w);
#pragma GCC unroll copies(12)
      for (int t = 0; t < T; ++t) acc[t] = fma(F32::load(p + t * pixel), weight, acc[t]);
    }
    for (int before = T; k < end; ++k, p += by.column, w += by.weight) {
      while (before > 0 && tile.end[before - 1] <= k) --before;
      add_before<0>(before, p, pixel, F32::load(w), acc);
    }
  }
#pragma GCC unroll copies(12)
  for (int t = 0; t < T; ++t)
    if ((some >> t & 1) != 0) (F32::load(totals + t * total_step) + acc[t]).store(totals + t * total_step);
}

using AddBlock = void (*)(const BlockRows&, const WindowTile&, int64_t, const WindowSteps&, uint32_t, float*, int64_t);
template <bool kNear, int... T> struct AddBlocks {
  static constexpr AddBlock kOf[] = {add_block<T, kNear>...};
};
template <bool kNear> constexpr const AddBlock* add_blocks() {
  if constexpr (kNear && kTile == 12) return AddBlocks<kNear, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>::kOf;
  else if constexpr (kTilePixelsMost == 8) return AddBlocks<kNear, 1, 2, 3, 4, 5, 6, 7, 8>::kOf;
  else return AddBlocks<kNear, 1, 2, 3, 4>::kOf;
}
constexpr const AddBlock *kAddNear = add_blocks<kVectorsLive>(), *kAddApart = add_blocks<false>();

// A piece of an output row, of one vector of channels.
struct WindowPiece {
  const DepthwiseJob& j;
  int64_t x0, x1;
  WindowSteps by;
  const AddBlock* add;
  int64_t first_column, last_column = 0;  // that any pixel has: [first, last)
  int tiles = 0;
  WindowTile tile[kWindowPixels];
  alignas(64) float totals[kWindowPixels * kW];
  bool ever[kWindowPixels];
  BlockRows rows;

  WindowPiece(const DepthwiseJob& job, int64_t begin, int64_t end) : j(job), x0(begin), x1(end) {
    const int64_t step = j.dilation[2] < 0 ? -1 : 1;
    by = {step * j.stride[2] * j.src_s[2], j.dilation[2] * j.src_s[2], j.k_step[2] * kDepthwisePadding};
    first_column = j.kernel[2];
    const bool near = kVectorsLive && by.pixel == kDepthwisePadding;
    const int64_t tile_most = near ? kTile : kTilePixelsMost;
    add = near ? kAddNear : kAddApart;
    // In even groups, but for pixels that have no column in common.
    for (int64_t x = x0; x < x1;) {
      const int64_t left = x1 - x, groups = (left + tile_most - 1) / tile_most;
      int64_t n = (left + groups - 1) / groups, most = 0, least = j.kernel[2];
      int64_t begin[kTile], end[kTile];
      for (int64_t i = 0; i < n; ++i) {
        valid_taps(j, 2, x + i, &begin[i], &end[i]);
        if (begin[i] > most) most = begin[i];
        if (end[i] < least) least = end[i];
        if (i > 0 && most > least) n = i;
      }
      WindowTile& t = tile[tiles++];
      t.x = step < 0 ? x + n - 1 : x;
      t.step = step;
      t.count = static_cast<int>(n);
      for (int64_t i = 0; i < n; ++i) {
        t.begin[i] = begin[step < 0 ? n - 1 - i : i];
        t.end[i] = end[step < 0 ? n - 1 - i : i];
      }
      if (t.begin[n - 1] < first_column) first_column = t.begin[n - 1];
      if (t.end[0] > last_column) last_column = t.end[0];
      x += n;
    }
  }

  void add_rows() {
    for (int i = 0; i < tiles; ++i) {
      const WindowTile& t = tile[i];
      uint32_t some = 0;
      for (int p = 0; p < t.count; ++p)
        for (int r = 0; r < rows.count; ++r)
          if (rows.begin[r] < t.end[p] && t.begin[p] < rows.end[r] && t.begin[p] < t.end[p]) {
            some |= 1u << p;
            ever[t.x + p * t.step - x0] = true;
            break;
          }
      if (some == 0) continue;
      add[t.count - 1](rows, t, (t.x * j.stride[2] - j.pad[2]) * j.src_s[2], by, some, totals + (t.x - x0) * kW, t.step * kW);
    }
    rows.count = 0;
  }

  // All taps of output row h of depth d, whose input and weights begin at `src` and `weights`.
  void sum(int64_t d, int64_t h, const float* src, const float* weights) {
    for (int64_t i = 0; i < x1 - x0; ++i) {
      F32::set(-0.f).store(totals + i * kW);  // to which a first block's value adds unchanged
      ever[i] = false;
    }
    int64_t d0, d1, h0, h1, open = -1;
    valid_taps(j, 0, d, &d0, &d1);
    valid_taps(j, 1, h, &h0, &h1);
    for (int64_t kd = d0; kd < d1; ++kd)
      for (int64_t kh = h0; kh < h1; ++kh) {
        // The first tap among all of the kernel.
        const int64_t first =
            ((j.k_first[0] + kd * j.k_step[0]) * j.whole[1] + j.k_first[1] + kh * j.k_step[1]) * j.whole[2] + j.k_first[2];
        const float* line = src + (d * j.stride[0] - j.pad[0] + kd * j.dilation[0]) * j.src_s[0] +
                            (h * j.stride[1] - j.pad[1] + kh * j.dilation[1]) * j.src_s[1];
        for (int64_t k = first_column; k < last_column;) {
          const int64_t block = (first + k * j.k_step[2]) / kDepthwiseBlock, behind = (block + 1) * kDepthwiseBlock - first;
          if (block != open) add_rows();
          open = block;
          int64_t end = j.k_step[2] == 1 ? behind : (behind + j.k_step[2] - 1) / j.k_step[2];
          if (end > last_column) end = last_column;
          rows.src[rows.count] = line;
          rows.weights[rows.count] = weights + first * kDepthwisePadding;
          rows.begin[rows.count] = k;
          rows.end[rows.count++] = end;
          k = end;
        }
      }
    add_rows();
    for (int64_t i = 0; i < x1 - x0; ++i)
      if (!ever[i]) F32::zero().store(totals + i * kW);
  }
};

// Post-ops and stores of a piece of a row.
__attribute__((noinline)) void finish_piece(const WindowPiece& piece, const RowOutputs& out, UnaryFunction rounding, int64_t c, int lanes) {
  const DepthwiseJob& j = piece.j;
  const float* sums = piece.totals;
  if (out.finish == Finish::interpret) {
    for (int64_t x = piece.x0; x < piece.x1; x += kTilePixelsMost, sums += kTilePixelsMost * kW) {
      const int64_t pixels = piece.x1 - x < kTilePixelsMost ? piece.x1 - x : kTilePixelsMost;
      interpret_tile(j, out, x, c, lanes, sums, static_cast<int>(pixels), 1);
    }
    return;
  }
  for (int64_t x = piece.x0; x < piece.x1; ++x, sums += kW) {
    F32 total[1][1] = {{F32::load(sums)}};
    finish_tile(j, out, x, c, lanes, total);
    if (rounding != UnaryFunction::identity) round_line(rounding, out.dst + x * j.dst_s[2] + c, lanes);
  }
}

void depthwise_window(const DepthwiseJob& j, const DepthwisePart& part) {
  WindowPiece piece(j, part.x0, part.x1);
  RowOutputs out;
  choose_finish(j, &out);
  const UnaryFunction rounding = out.finish == Finish::interpret ? UnaryFunction::identity : rounding_at_end(*j.program);
  for (int64_t c = part.c0; c < part.c1; c += kW) {
    const int lanes = static_cast<int>(part.c1 - c < kW ? part.c1 - c : kW);
    for (int64_t h = part.h0; h < part.h1; ++h) {
      piece.sum(part.d, h, j.src + (c - part.c0), j.weights + (c - part.c0));
      out.dst = j.dst + part.n * j.dst_n + part.d * j.dst_s[0] + h * j.dst_s[1];
      for (int o = 0; o < j.program->operand_count; ++o)
        out.operand[o] = j.operand[o] + part.n * j.operand_n[o] + part.d * j.operand_s[o][0] + h * j.operand_s[o][1];
      finish_piece(piece, out, rounding, c, lanes);
    }
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
