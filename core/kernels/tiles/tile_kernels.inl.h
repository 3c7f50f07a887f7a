// SPDX-License-Identifier: Apache-2.0
// The tile engine's microkernels: one tile of sums in registers, for every number of rows and every width. Files of sets define before
// it, in the set's namespace, Half with lower_half() and with_zeros() (half a vector if kHasHalf, else F32 again), kTileRows (rows of
// tiles of 1, 2, 4 and 8 vectors) and kPrefetchRows. GCC spills the sums without the unroll pragmas (53 instead of 200 GFLOP/s on a 240
// GFLOP/s core).
#pragma once

#include <cstdint>
#include <utility>

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/simd/few_forms.inl.h"
#include "core/kernels/simd/set.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kW = F32::kWidth;
constexpr int kMostRows = kTileRows[0] > kTileRows[1] ? kTileRows[0] : kTileRows[1];
static_assert(kMostRows <= kMaxEpilogueRows);

// One tile: everything a microkernel needs.
struct TileCall {
  const float* const* rows;
  float* const* dst;  // column 0 of this tile; used when `direct`
  const KSegment* segments;
  int32_t segment_count;
  int64_t k_step;
  const KElement* elements;
  int32_t element_blocks;
  const int32_t* element_ends;
  const float* panel;
  int64_t panel_stride;  // floats from panel to panel
  const float* bias;
  float* sums;   // partial sums, and the result unless `direct`; rows of NV vectors
  bool resumes;  // the sums of blocks before these segments are there already
  bool pauses;   // and are left there: more segments follow in another call
  int32_t last;  // valid columns of the last vector
  bool direct;   // add the bias, perhaps relu, and store to dst
  bool relu;
};

inline void prefetch(const float* p) { __builtin_prefetch(p, 0, 3); }

// Floats of a panel's row, for tiles of NV vectors and perhaps a half one.
constexpr int panel_step(int nv, bool half) { return half ? nv * kW + kW / 2 : nv == 1 ? kW : 2 * kW; }

// The sums of a tile: NV vectors a row, and a half vector if HALF.
template <int MR, int NV, bool HALF> struct Sums {
  F32 v[MR][NV > 0 ? NV : 1];
  Half h[HALF ? MR : 1];
};

template <int MR, int NV, bool HALF> inline __attribute__((always_inline)) void clear(Sums<MR, NV, HALF>& s) {
#pragma GCC unroll copies(32)
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll copies(8)
    for (int j = 0; j < NV; ++j) s.v[i][j] = F32::zero();
    if constexpr (HALF) s.h[i] = Half::zero();
  }
}

// One element of k: sums += row[i][at] * panel row b.
template <int MR, int NV, bool HALF>
inline __attribute__((always_inline)) void multiply(Sums<MR, NV, HALF>& s, const float* const* a, int64_t at, const float* b,
                                                    int64_t panel_stride) {
  F32 w[NV > 0 ? NV : 1];
  Half g;
#pragma GCC unroll copies(8)
  for (int j = 0; j < NV; ++j) w[j] = F32::load(b + (j / 2) * panel_stride + (j % 2) * kW);
  if constexpr (HALF) g = Half::load(b + NV * kW);
#pragma GCC unroll copies(32)
  for (int i = 0; i < MR; ++i) {
    if constexpr (NV > 0) {
      const F32 x = F32::set(a[i][at]);
#pragma GCC unroll copies(8)
      for (int j = 0; j < NV; ++j) s.v[i][j] = fma(x, w[j], s.v[i][j]);
      if constexpr (HALF) s.h[i] = fma(lower_half(x), g, s.h[i]);
    } else {
      s.h[i] = fma(Half::set(a[i][at]), g, s.h[i]);
    }
  }
}

// Adds the sums to the partial sums in memory (or only stores them there if `first`) and starts again from 0.
template <int MR, int NV, bool HALF> inline __attribute__((always_inline)) void end_block(Sums<MR, NV, HALF>& s, float* sums, bool first) {
  constexpr int kRow = (NV + HALF) * kW;
#pragma GCC unroll copies(32)
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll copies(8)
    for (int j = 0; j < NV; ++j) {
      float* p = sums + i * kRow + j * kW;
      (first ? s.v[i][j] : F32::load(p) + s.v[i][j]).store(p);
    }
    if constexpr (HALF) {
      float* p = sums + i * kRow + NV * kW;
      (first ? s.h[i] : Half::load(p) + s.h[i]).store(p);
    }
  }
  clear(s);
}

template <int MR, int NV, bool HALF> inline __attribute__((always_inline)) void add_partial(Sums<MR, NV, HALF>& s, const float* sums) {
  constexpr int kRow = (NV + HALF) * kW;
#pragma GCC unroll copies(32)
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll copies(8)
    for (int j = 0; j < NV; ++j) s.v[i][j] = F32::load(sums + i * kRow + j * kW) + s.v[i][j];
    if constexpr (HALF) s.h[i] = Half::load(sums + i * kRow + NV * kW) + s.h[i];
  }
}

// Leaves the sums of a tile in dst, with bias and relu, or in memory for the epilogue.
template <int MR, int NV, bool HALF> inline __attribute__((always_inline)) void finish(const TileCall& c, Sums<MR, NV, HALF>& s) {
  constexpr int kRow = (NV + HALF) * kW;
  if (!c.direct) {
#pragma GCC unroll copies(32)
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll copies(8)
      for (int j = 0; j < NV; ++j) s.v[i][j].store(c.sums + i * kRow + j * kW);
      // With zeros behind it: the epilogue reads whole vectors, and what lay on the stack can be denormal, which took a sigmoid
      // over a tile 4 wide from 8 to 20 ms.
      if constexpr (HALF) with_zeros(s.h[i]).store(c.sums + i * kRow + NV * kW);
    }
    return;
  }
  if (c.bias != nullptr) {
    F32 bias[NV > 0 ? NV : 1];
    Half half_bias;
#pragma GCC unroll copies(8)
    for (int j = 0; j < NV; ++j) bias[j] = F32::load(c.bias + j * kW);
    if constexpr (HALF) half_bias = Half::load(c.bias + NV * kW);
#pragma GCC unroll copies(32)
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll copies(8)
      for (int j = 0; j < NV; ++j) s.v[i][j] = s.v[i][j] + bias[j];
      if constexpr (HALF) s.h[i] = s.h[i] + half_bias;
    }
  }
  if (c.relu) {
#pragma GCC unroll copies(32)
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll copies(8)
      for (int j = 0; j < NV; ++j) s.v[i][j] = relu(s.v[i][j]);
      if constexpr (HALF) s.h[i] = relu(s.h[i]);
    }
  }
  constexpr int kWhole = HALF ? NV : NV - 1;  // vectors that are surely whole
  constexpr int kLast = HALF ? kW / 2 : kW;
#pragma GCC unroll copies(32)
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll copies(8)
    for (int j = 0; j < kWhole; ++j) s.v[i][j].store(c.dst[i] + j * kW);
  }
  if (c.last == kLast) {
#pragma GCC unroll copies(32)
    for (int i = 0; i < MR; ++i) {
      if constexpr (HALF) s.h[i].store(c.dst[i] + NV * kW);
      else s.v[i][NV - 1].store(c.dst[i] + (NV - 1) * kW);
    }
  } else {
#pragma GCC unroll copies(32)
    for (int i = 0; i < MR; ++i) {
      if constexpr (HALF) s.h[i].store_partial(c.dst[i] + NV * kW, c.last);
      else s.v[i][NV - 1].store_partial(c.dst[i] + (NV - 1) * kW, c.last);
    }
  }
}

template <int MR, int NV, bool HALF> __attribute__((noinline)) void tile_by_segments(const TileCall& c) {
  constexpr int kStep = panel_step(NV, HALF);
  Sums<MR, NV, HALF> sums;
  clear(sums);
  const KSegment* s = c.segments;
  const KSegment* const end = s + c.segment_count;
  const int64_t step = c.k_step;
  bool partial = c.resumes;
  for (; s != end; ++s) {
    const float* a[MR];
#pragma GCC unroll copies(32)
    for (int i = 0; i < MR; ++i) a[i] = c.rows[i] + s->src;
    const float* b = c.panel + s->k * kStep;
    int64_t at = 0;
    for (int32_t n = s->count; n > 0; --n) {
      constexpr int kLine = 16;  // floats
#pragma GCC unroll copies(8)
      for (int panel = 0; panel < (NV + 1) / 2; ++panel)
#pragma GCC unroll copies(4)
        for (int j = 0; j < (NV >= 2 ? 2 * kW : kStep); j += kLine) prefetch(b + panel * c.panel_stride + j + kPrefetchRows * kStep);
      multiply(sums, a, at, b, c.panel_stride);
      at += step;
      b += kStep;
    }
    if (s->ends_block && (c.pauses || s + 1 != end)) {
      end_block(sums, c.sums, !partial);
      partial = true;
    }
  }
  if (c.pauses) return;
  if (partial) add_partial(sums, c.sums);
  finish(c, sums);
}

// Continues the chains in `sums` over these segments, which are all of one block.
template <int MR, int NV, bool HALF> __attribute__((noinline)) void tile_continued(const TileCall& c) {
  constexpr int kStep = panel_step(NV, HALF), kRow = (NV + HALF) * kW;
  Sums<MR, NV, HALF> sums;
#pragma GCC unroll copies(32)
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll copies(8)
    for (int j = 0; j < NV; ++j) sums.v[i][j] = F32::load(c.sums + i * kRow + j * kW);
    if constexpr (HALF) sums.h[i] = Half::load(c.sums + i * kRow + NV * kW);
  }
  for (const KSegment* s = c.segments; s != c.segments + c.segment_count; ++s) {
    const float* a[MR];
#pragma GCC unroll copies(32)
    for (int i = 0; i < MR; ++i) a[i] = c.rows[i] + s->src;
    const float* b = c.panel + s->k * kStep;
    int64_t at = 0;
    for (int32_t n = s->count; n > 0; --n, at += c.k_step, b += kStep) {
#pragma GCC unroll copies(4)
      for (int j = 0; j < kStep; j += 16) prefetch(b + j + kPrefetchRows * kStep);
      multiply(sums, a, at, b, 0);
    }
  }
#pragma GCC unroll copies(32)
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll copies(8)
    for (int j = 0; j < NV; ++j) sums.v[i][j].store(c.sums + i * kRow + j * kW);
    if constexpr (HALF) sums.h[i].store(c.sums + i * kRow + NV * kW);
  }
}

template <int MR, int NV, bool HALF> __attribute__((noinline)) void tile_by_elements(const TileCall& c) {
  Sums<MR, NV, HALF> sums;
  clear(sums);
  const float* a[MR];
#pragma GCC unroll copies(32)
  for (int i = 0; i < MR; ++i) a[i] = c.rows[i];
  const KElement* e = c.elements;
  for (int32_t block = 0; block < c.element_blocks; ++block) {
    if (block > 0) end_block(sums, c.sums, block == 1);
    for (const KElement* const end = c.elements + c.element_ends[block]; e != end; ++e)
      multiply(sums, a, e->src, c.panel + e->k * panel_step(NV, HALF), c.panel_stride);
  }
  if (c.element_blocks > 1) add_partial(sums, c.sums);
  finish(c, sums);
}

using TileFunction = void (*)(const TileCall&);
template <int R> struct TileTable { TileFunction of[R]; };
template <int NV, bool HALF, int R, int... I> constexpr TileTable<R> segment_table(std::integer_sequence<int, I...>) {
  return {{(has_form(I + 1, R) ? tile_by_segments<I + 1, NV, HALF> : nullptr)...}};
}
template <int NV, bool HALF, int R, int... I> constexpr TileTable<R> element_table(std::integer_sequence<int, I...>) {
  return {{(has_form(I + 1, R) ? tile_by_elements<I + 1, NV, HALF> : nullptr)...}};
}
template <int NV, bool HALF, int R, int... I> constexpr TileTable<R> continued_table(std::integer_sequence<int, I...>) {
  return {{(has_form(I + 1, R) ? tile_continued<I + 1, NV, HALF> : nullptr)...}};
}
template <int NV, bool HALF, int R> constexpr TileTable<R> kContinued = continued_table<NV, HALF, R>(std::make_integer_sequence<int, R>());
template <int NV, bool HALF, int R> constexpr TileTable<R> kBySegments = segment_table<NV, HALF, R>(std::make_integer_sequence<int, R>());
template <int NV, bool HALF, int R> constexpr TileTable<R> kByElements = element_table<NV, HALF, R>(std::make_integer_sequence<int, R>());

// The microkernel for tiles of `halves` half vectors.
TileFunction choose(bool elements, int halves, int rows) {
  if constexpr (kHasHalf) {
    if (halves == 1) return elements ? kByElements<0, true, kTileRows[0]>.of[rows - 1] : kBySegments<0, true, kTileRows[0]>.of[rows - 1];
    if (halves == 3) return elements ? kByElements<1, true, kTileRows[1]>.of[rows - 1] : kBySegments<1, true, kTileRows[1]>.of[rows - 1];
  }
  switch (halves) {
    case 2: return elements ? kByElements<1, false, kTileRows[0]>.of[rows - 1] : kBySegments<1, false, kTileRows[0]>.of[rows - 1];
    case 4: return elements ? kByElements<2, false, kTileRows[1]>.of[rows - 1] : kBySegments<2, false, kTileRows[1]>.of[rows - 1];
    case 8: return elements ? kByElements<4, false, kTileRows[2]>.of[rows - 1] : kBySegments<4, false, kTileRows[2]>.of[rows - 1];
    default: return kBySegments<8, false, kTileRows[3]>.of[rows - 1];
  }
}

// The one that continues chains, in tiles of at most one panel and as many rows as fit beside two vectors.
TileFunction choose_continued(int halves, int rows) {
  constexpr int R = kTileRows[1];
  if constexpr (kHasHalf) {
    if (halves == 1) return kContinued<0, true, R>.of[rows - 1];
    if (halves == 3) return kContinued<1, true, R>.of[rows - 1];
  }
  return halves == 2 ? kContinued<1, false, R>.of[rows - 1] : kContinued<2, false, R>.of[rows - 1];
}

// Rows of the largest tile that is `halves` half vectors wide.
constexpr int most_rows(int halves) { return kTileRows[halves <= 2 ? 0 : halves <= 4 ? 1 : halves <= 8 ? 2 : 3]; }

// Runs the rows of a tile: all at once, or as many as there is code for.
inline __attribute__((always_inline)) void run_rows(const TileCall& call, bool elements, int halves, int32_t rows) {
  if constexpr (!kFewForms) return choose(elements, halves, rows)(call);
  TileCall piece = call;
  for (int n; rows > 0; rows -= n) {
    n = rows_at_once(rows, most_rows(halves));
    choose(elements, halves, n)(piece);
    piece.rows += n;
    piece.dst += n;
    piece.sums += n * ((halves + 1) / 2) * kW;
  }
}
inline __attribute__((always_inline)) void run_continued(const TileCall& call, int halves, int32_t rows) {
  if constexpr (!kFewForms) return choose_continued(halves, rows)(call);
  TileCall piece = call;
  for (int n; rows > 0; rows -= n) {
    n = rows_at_once(rows, kTileRows[1]);
    choose_continued(halves, n)(piece);
    piece.rows += n;
    piece.sums += n * ((halves + 1) / 2) * kW;
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
