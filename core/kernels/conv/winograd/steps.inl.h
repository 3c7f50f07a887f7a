// SPDX-License-Identifier: Apache-2.0
// Transforms of tiles for one vector type, in the order that docs/numerics.md (section 1, mode fast) writes. Lanes are channels. Files of
// sets define kUnroll before it, in the set's namespace: 16 where numbers of a tile lie in registers, else 1.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/conv/winograd/steps.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kW = F32::kWidth;
constexpr float kSqrtHalf = 0x1.6a09e6p-1f, kSqrtTwo = 0x1.6a09e6p+0f;

constexpr bool kHalfPanels = kW == 16;  // the last panel may end within a vector (tile_engine.h: granule)
constexpr int kTile = kWinogradTile, kSide = kWinogradSide;

// The transforms along one axis, of six inputs, of six sums into four outputs, and of three weights. Their points are 0, +-sqrt(1/2),
// +-sqrt(2) and infinity.
inline __attribute__((always_inline)) void inputs_axis(const F32 (&d)[6], F32 (&v)[6]) {
  const F32 two = F32::set(-2.f), half = F32::set(-0.5f), sum = F32::set(-2.5f);
  const F32 a = F32::set(kSqrtHalf), b = F32::set(kSqrtTwo);
  const F32 e = fma(two, d[2], d[4]), f = fma(two, d[1], d[3]), g = fma(half, d[2], d[4]), h = fma(half, d[1], d[3]);
  v[0] = d[0] + fma(sum, d[2], d[4]);
  v[1] = fma(a, f, e);
  v[2] = fma(neg(a), f, e);
  v[3] = fma(b, h, g);
  v[4] = fma(neg(b), h, g);
  v[5] = d[1] + fma(sum, d[3], d[5]);
}
inline __attribute__((always_inline)) void sums_axis(const F32 (&m)[6], F32 (&y)[4]) {
  const F32 s = m[1] + m[2], d = m[1] - m[2], t = m[3] + m[4], u = m[3] - m[4];
  y[0] = m[0] + (s + t);
  y[1] = fma(F32::set(kSqrtTwo), u, F32::set(kSqrtHalf) * d);
  y[2] = fma(F32::set(2.f), t, F32::set(0.5f) * s);
  y[3] = fma(F32::set(2.f * kSqrtTwo), u, fma(F32::set(0.5f * kSqrtHalf), d, m[5]));
}
inline __attribute__((always_inline)) void weights_axis(const F32 (&g)[3], F32 (&u)[6]) {
  const F32 two = F32::set(2.f), b = F32::set(kSqrtTwo), third = F32::set(-1.f / 3.f), sixth = F32::set(1.f / 6.f);
  const F32 p = fma(two, g[0], g[2]), q = fma(two, g[2], g[0]);
  u[0] = g[0];
  u[1] = fma(b, g[1], p) * third;
  u[2] = fma(neg(b), g[1], p) * third;
  u[3] = fma(b, g[1], q) * sixth;
  u[4] = fma(neg(b), g[1], q) * sixth;
  u[5] = g[2];
}

// Where a tile lies.
struct TilePlace {
  int64_t n, y, x;  // image, and tile in it
  TilePlace(const WinogradJob& job, int64_t tile) : n(tile / (job.tiles_y * job.tiles_x)) {
    const int64_t rest = tile % (job.tiles_y * job.tiles_x);
    y = rest / job.tiles_x;
    x = rest % job.tiles_x;
  }
  void advance(const WinogradJob& job) {
    if (++x < job.tiles_x) return;
    x = 0;
    if (++y < job.tiles_y) return;
    y = 0;
    ++n;
  }
};

// One vector of channels of a tile: from[i] + c is element i.
template <bool kWhole>
__attribute__((noinline)) void transform_vector(const float* const* from, int64_t c, int lanes, float* to, int64_t plane) {
  F32 t[kSide][kSide];
#pragma GCC unroll kUnroll
  for (int x = 0; x < kSide; ++x) {
    F32 d[kSide], v[kSide];
#pragma GCC unroll kUnroll
    for (int y = 0; y < kSide; ++y) d[y] = kWhole ? F32::load(from[y * kSide + x] + c) : F32::load_partial(from[y * kSide + x] + c, lanes);
    inputs_axis(d, v);
#pragma GCC unroll kUnroll
    for (int y = 0; y < kSide; ++y) t[y][x] = v[y];
  }
#pragma GCC unroll kUnroll
  for (int y = 0; y < kSide; ++y) {
    F32 v[kSide];
    inputs_axis(t[y], v);
#pragma GCC unroll kUnroll
    for (int x = 0; x < kSide; ++x) v[x].store(to + (y * kSide + x) * plane);
  }
}

// Where the elements of a tile lie; `zeros` for what is outside the input.
void find_elements(const WinogradJob& job, const TilePlace& at, const float** from) {
  const int64_t top = at.y * kTile - job.pad_y, left = at.x * kTile - job.pad_x;
  const float* const corner = job.src + at.n * job.src_n + top * job.src_y + left * job.src_x;
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) from[y * kSide + x] = corner + y * job.src_y + x * job.src_x;
  if (top >= 0 && top + kSide <= job.in_y && left >= 0 && left + kSide <= job.in_x) return;
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x)
      if (top + y < 0 || top + y >= job.in_y || left + x < 0 || left + x >= job.in_x) from[y * kSide + x] = job.zeros;
}

void transform(const WinogradJob& job, int64_t first, int64_t count, const WinogradPlanes& to) {
  TilePlace at(job, first);
  for (int64_t i = 0; i < count; ++i, at.advance(job)) {
    const float* from[kWinogradElements];
    find_elements(job, at, from);
    float* const row = to.data + i * to.row;
    int64_t c = 0;
    if (job.src_c == 1) {
      for (; c + kW <= job.channels; c += kW) transform_vector<true>(from, c, kW, row + c, to.plane);
      if (c < job.channels) transform_vector<false>(from, c, static_cast<int>(job.channels - c), row + c, to.plane);
      continue;
    }
    for (; c < job.channels; c += kW) {  // channels that are apart
      alignas(64) float lines[kWinogradElements][kW];
      const float* gathered[kWinogradElements];
      const int lanes = job.channels - c < kW ? static_cast<int>(job.channels - c) : kW;
      for (int k = 0; k < kWinogradElements; ++k) {
        (from[k] == job.zeros ? F32::zero() : F32::load_strided(from[k] + c * job.src_c, job.src_c, lanes)).store(lines[k]);
        gathered[k] = lines[k];
      }
      transform_vector<true>(gathered, 0, kW, row + c, to.plane);
    }
  }
}

// Of one channel and a vector of outputs: from + i * tap is weight i of nine. kWhole: all lanes are there. The
// time is not that of the arithmetic: 36 lines for nine pass between the caches.
template <int kGroup, bool kWhole>
inline __attribute__((always_inline)) void transform_weight(const float* from, int64_t tap, int lanes, float* to, int64_t plane) {
  constexpr int kFirst = kFirstOfGroup[kGroup], kRows = kFirstOfGroup[kGroup + 1] - kFirst;
  F32 t[kRows][3];
#pragma GCC unroll kUnroll
  for (int x = 0; x < 3; ++x) {
    F32 g[3], u[kSide];
#pragma GCC unroll kUnroll
    for (int y = 0; y < 3; ++y) {
      const float* const p = from + (3 * y + x) * tap;
      if constexpr (kWhole) g[y] = F32::load(p);
      else g[y] = F32::load_partial(p, lanes);
    }
    weights_axis(g, u);
#pragma GCC unroll kUnroll
    for (int y = 0; y < kRows; ++y) t[y][x] = u[kFirst + y];
  }
#pragma GCC unroll kUnroll
  for (int y = 0; y < kRows; ++y) {
    F32 u[kSide];
    weights_axis(t[y], u);
#pragma GCC unroll kUnroll
    for (int x = 0; x < kSide; ++x) {
      float* const p = to + (y * kSide + x) * plane;
      if constexpr (kWhole) u[x].store(p);
      else u[x].store_partial(p, lanes);
    }
  }
}

template <int kGroup>
__attribute__((noinline)) void transform_panels(const WinogradJob& job, int64_t column, int64_t columns, int64_t channel, int64_t count,
                                                float* to, int64_t plane) {
  constexpr int64_t kPanel = 2 * kW;
  for (int64_t panel = column; panel < column + columns; panel += kPanel) {
    const int64_t left = column + columns - panel;
    const int64_t width = left >= kPanel ? kPanel : (left + job.granule - 1) / job.granule * job.granule, tap = job.channels * width;
    const float* from = job.panels + panel * job.channels * 9 + channel * width;
    float* row = to + (panel - column) * count;
    for (int64_t c = 0; c < count; ++c, from += width, row += width)
      for (int64_t j = 0; j < width; j += kW) {
        if (!kHalfPanels || width - j >= kW) transform_weight<kGroup, true>(from + j, tap, kW, row + j, plane);
        else if constexpr (kHalfPanels) transform_weight<kGroup, false>(from + j, tap, static_cast<int>(width - j), row + j, plane);
      }
  }
}

inline F32::Mask is_finite(F32 x) { return abs(x) <= F32::set(std::numeric_limits<float>::max()); }

// The sums of one position as mode strict has them, of a vector of outputs from `column` on.
F32 strict_sums(const WinogradJob& job, int64_t n, int64_t y, int64_t x, int64_t column) {
  constexpr int64_t kBlock = 128, kPanel = 2 * kW;
  const int64_t panel = column / kPanel * kPanel, left = job.outputs - panel;
  const int64_t width = left >= kPanel ? kPanel : (left + job.granule - 1) / job.granule * job.granule, offset = column - panel;
  const int lanes = width - offset < kW ? static_cast<int>(width - offset) : kW;
  F32 total = F32::zero(), chain = F32::zero();
  int64_t open = -1;
  bool first = true;
  const auto end_block = [&] {
    if (open < 0) return;
    total = first ? chain : total + chain;
    chain = F32::zero();
    first = false;
  };
  for (int64_t ky = 0; ky < 3; ++ky)
    for (int64_t kx = 0; kx < 3; ++kx) {
      const int64_t iy = y + ky - job.pad_y, ix = x + kx - job.pad_x;
      if (iy < 0 || iy >= job.in_y || ix < 0 || ix >= job.in_x) continue;
      const float* from = job.src + n * job.src_n + iy * job.src_y + ix * job.src_x;
      int64_t k = (ky * 3 + kx) * job.channels;
      const float* weights = job.panels + panel * job.channels * 9 + k * width + offset;
      for (int64_t c = 0; c < job.channels; ++c, ++k, weights += width) {
        if (k / kBlock != open) {
          end_block();
          open = k / kBlock;
        }
        chain = fma(F32::set(from[c * job.src_c]), F32::load_partial(weights, lanes), chain);
      }
    }
  end_block();
  return total;
}

// Sums of a tile that are not finite become those of mode strict.
__attribute__((noinline)) void repair(const WinogradJob& job, const TilePlace& at, int64_t rows, int64_t columns, int64_t column,
                                      float (*sums)[kW]) {
  for (int64_t y = 0; y < rows; ++y)
    for (int64_t x = 0; x < columns; ++x) {
      const F32 v = F32::load(sums[y * kTile + x]);
      if (!any(!is_finite(v))) continue;
      select(is_finite(v), v, strict_sums(job, at.n, at.y * kTile + y, at.x * kTile + x, column)).store(sums[y * kTile + x]);
    }
}

// Outputs of a vector of columns before bias and post-ops.
inline __attribute__((always_inline)) void transform_sums(const float* sums, int64_t plane, F32 (&out)[kTile][kTile]) {
  F32 t[kTile][kSide];
#pragma GCC unroll kUnroll
  for (int x = 0; x < kSide; ++x) {
    F32 m[kSide], y[kTile];
#pragma GCC unroll kUnroll
    for (int i = 0; i < kSide; ++i) m[i] = F32::load(sums + (i * kSide + x) * plane);
    sums_axis(m, y);
#pragma GCC unroll kUnroll
    for (int i = 0; i < kTile; ++i) t[i][x] = y[i];
  }
#pragma GCC unroll kUnroll
  for (int i = 0; i < kTile; ++i) sums_axis(t[i], out[i]);
}

// kSide tile in the plane of the output: its rows and columns that are inside, and where they lie.
struct TileOutput {
  int64_t rows, columns;
  float* dst[kTile * kTile];
};

inline __attribute__((always_inline)) void finite_sums(const WinogradJob& job, const TilePlace& at, const TileOutput& tile,
                                                       const float* sums, int64_t plane, int64_t column, F32 (&out)[kTile][kTile]) {
  transform_sums(sums, plane, out);
  // Of all of them: 0 times a number is 0, else NaN.
  F32 test = F32::zero();
#pragma GCC unroll kUnroll
  for (int y = 0; y < kTile; ++y)
#pragma GCC unroll kUnroll
    for (int x = 0; x < kTile; ++x) test = fma(out[y][x], F32::zero(), test);
  if (__builtin_expect(!any(is_nan(test)), 1)) return;
  alignas(64) float spilled[kTile * kTile][kW];
  for (int i = 0; i < kTile * kTile; ++i) out[i / kTile][i % kTile].store(spilled[i]);
  repair(job, at, tile.rows, tile.columns, column, spilled);
  for (int i = 0; i < kTile * kTile; ++i) out[i / kTile][i % kTile] = F32::load(spilled[i]);
}

// Nothing but a bias and perhaps relu, into outputs that lie side by side.
__attribute__((noinline)) void finish_directly(const WinogradJob& job, const TilePlace& at, const TileOutput& tile, const float* sums,
                                               int64_t plane, int64_t column, int64_t columns, bool with_relu) {
  for (int64_t j = 0; j < columns; j += kW, sums += kW) {
    F32 out[kTile][kTile];
    finite_sums(job, at, tile, sums, plane, column + j, out);
    if (job.bias != nullptr) {
      const F32 bias = F32::load(job.bias + column + j);
#pragma GCC unroll kUnroll
      for (int i = 0; i < kTile * kTile; ++i) out[i / kTile][i % kTile] = out[i / kTile][i % kTile] + bias;
    }
    if (with_relu) {
#pragma GCC unroll kUnroll
      for (int i = 0; i < kTile * kTile; ++i) out[i / kTile][i % kTile] = relu(out[i / kTile][i % kTile]);
    }
    if (columns - j >= kW && tile.rows == kTile && tile.columns == kTile) {
#pragma GCC unroll kUnroll
      for (int i = 0; i < kTile * kTile; ++i) out[i / kTile][i % kTile].store(tile.dst[i] + column + j);
      continue;
    }
    const int lanes = columns - j < kW ? static_cast<int>(columns - j) : kW;
#pragma GCC unroll kUnroll
    for (int i = 0; i < kTile * kTile; ++i)
      if (i / kTile < tile.rows && i % kTile < tile.columns) out[i / kTile][i % kTile].store_partial(tile.dst[i] + column + j, lanes);
  }
}

// Sums of a part of the columns at a time, then the interpreter of post-ops.
__attribute__((noinline)) void finish_by_chain(const WinogradJob& job, const TilePlace& at, const TileOutput& tile, const float* sums,
                                               int64_t plane, int64_t column, int64_t columns) {
  constexpr int64_t kStrip = 4 * kW;
  static_assert(kTile * kTile <= kMaxEpilogueRows);
  const EpilogueProgram& p = *job.program;
  alignas(64) float strip[kTile * kTile][kStrip];
  const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
  float* dst[kTile * kTile];
  for (int64_t j = 0; j < columns; j += kStrip) {
    const int64_t left = columns - j < kStrip ? columns - j : kStrip;
    for (int64_t k = 0; k < left; k += kW) {
      F32 out[kTile][kTile];
      finite_sums(job, at, tile, sums + j + k, plane, column + j + k, out);
      int row = 0;
#pragma GCC unroll kUnroll
      for (int i = 0; i < kTile * kTile; ++i)
        if (i / kTile < tile.rows && i % kTile < tile.columns) out[i / kTile][i % kTile].store(strip[row++] + k);
    }
    int rows = 0;
    for (int i = 0; i < kTile * kTile; ++i) {
      if (i / kTile >= tile.rows || i % kTile >= tile.columns) continue;
      dst[rows] = tile.dst[i] + (column + j) * job.dst_c;
      for (int o = 0; o < p.operand_count; ++o) {
        const int64_t* const step = job.operand_step[o];
        operands[o][rows] = job.operand[o] + at.n * step[0] + (column + j) * step[1] + (at.y * kTile + i / kTile) * step[2] +
                            (at.x * kTile + i % kTile) * step[3];
      }
      ++rows;
    }
    EpilogueTile t;
    t.sums = strip[0];
    t.sums_step = kStrip;
    t.rows = rows;
    t.columns = static_cast<int32_t>(left);
    t.dst = dst;
    t.dst_column_step = job.dst_c;
    t.bias = job.bias != nullptr ? job.bias + column + j : nullptr;
    t.operands = operands;
    RunEpilogue::ANYDIM_ISA(p, t);
  }
}

void finish(const WinogradJob& job, int64_t first, int64_t count, int64_t column, int64_t columns, const WinogradPlanes& sums) {
  const EpilogueProgram& p = *job.program;
  const bool with_relu = p.count > 0 && p.steps[0].kind == PostOp::Kind::unary && p.steps[0].unary == UnaryFunction::relu;
  const bool directly = job.dst_c == 1 && p.count == with_relu;
  TilePlace at(job, first);
  for (int64_t i = 0; i < count; ++i, at.advance(job)) {
    TileOutput tile;
    const int64_t y = at.y * kTile, x = at.x * kTile;
    tile.rows = job.out_y - y < kTile ? job.out_y - y : kTile;
    tile.columns = job.out_x - x < kTile ? job.out_x - x : kTile;
    float* const corner = job.dst + at.n * job.dst_n + y * job.dst_y + x * job.dst_x;
    for (int k = 0; k < kTile * kTile; ++k)
      tile.dst[k] = k / kTile < tile.rows && k % kTile < tile.columns ? corner + k / kTile * job.dst_y + k % kTile * job.dst_x : nullptr;
    const float* const row = sums.data + i * sums.row;
    if (directly) finish_directly(job, at, tile, row, sums.plane, column, columns, with_relu);
    else finish_by_chain(job, at, tile, row, sums.plane, column, columns);
  }
}

void transform_weights(const WinogradJob& job, int group, int64_t column, int64_t columns, int64_t channel, int64_t count, float* to,
                       int64_t plane) {
  using Transform = void (*)(const WinogradJob&, int64_t, int64_t, int64_t, int64_t, float*, int64_t);
  static constexpr Transform kOfGroup[] = {transform_panels<0>, transform_panels<1>, transform_panels<2>, transform_panels<3>};
  kOfGroup[group](job, column, columns, channel, count, to, plane);
}
void add_rows(const float* from, float* to, int64_t row, int64_t count, int64_t width) {
  for (int64_t i = 0; i < count; ++i, from += row, to += row)
    for (int64_t j = 0; j < width; j += kW) (F32::load(to + j) + F32::load(from + j)).store(to + j);
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
