// SPDX-License-Identifier: Apache-2.0
// Transforms of tiles for one vector type, in the order that docs/numerics.md (section 1, mode fast) writes. Lanes are channels.
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

// The transforms along one axis: of kTile + 2 inputs, and of as many sums into kTile outputs.
struct TilesOfTwo {
  static constexpr int kTile = 2;
  static inline __attribute__((always_inline)) void input(const F32 (&d)[4], F32 (&v)[4]) {
    v[0] = d[0] - d[2];
    v[1] = d[1] + d[2];
    v[2] = d[2] - d[1];
    v[3] = d[3] - d[1];
  }
  static inline __attribute__((always_inline)) void output(const F32 (&m)[4], F32 (&y)[2]) {
    y[0] = (m[0] + m[1]) + m[2];
    y[1] = (m[1] - m[2]) + m[3];
  }
};
// Points 0, +-sqrt(1/2), +-sqrt(2) and infinity.
struct TilesOfFour {
  static constexpr int kTile = 4;
  static inline __attribute__((always_inline)) void input(const F32 (&d)[6], F32 (&v)[6]) {
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
  static inline __attribute__((always_inline)) void output(const F32 (&m)[6], F32 (&y)[4]) {
    const F32 s = m[1] + m[2], d = m[1] - m[2], t = m[3] + m[4], u = m[3] - m[4];
    y[0] = m[0] + (s + t);
    y[1] = fma(F32::set(kSqrtTwo), u, F32::set(kSqrtHalf) * d);
    y[2] = fma(F32::set(2.f), t, F32::set(0.5f) * s);
    y[3] = fma(F32::set(2.f * kSqrtTwo), u, fma(F32::set(0.5f * kSqrtHalf), d, m[5]));
  }
};

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
template <class T> __attribute__((noinline)) void transform_vector(const float* const* from, int64_t c, float* to, int64_t plane) {
  constexpr int A = T::kTile + 2;
  F32 t[A][A];
#pragma GCC unroll 8
  for (int x = 0; x < A; ++x) {
    F32 d[A], v[A];
#pragma GCC unroll 8
    for (int y = 0; y < A; ++y) d[y] = F32::load(from[y * A + x] + c);
    T::input(d, v);
#pragma GCC unroll 8
    for (int y = 0; y < A; ++y) t[y][x] = v[y];
  }
#pragma GCC unroll 8
  for (int y = 0; y < A; ++y) {
    F32 v[A];
    T::input(t[y], v);
#pragma GCC unroll 8
    for (int x = 0; x < A; ++x) v[x].store(to + (y * A + x) * plane);
  }
}

template <class T> void transform_tiles(const WinogradJob& job, int64_t first, int64_t count, const WinogradPlanes& to) {
  constexpr int A = T::kTile + 2;
  TilePlace at(job, first);
  for (int64_t i = 0; i < count; ++i, at.advance(job)) {
    const float* from[A * A];
    const int64_t top = at.y * T::kTile - job.pad_y, left = at.x * T::kTile - job.pad_x;
    const float* const image = job.src + at.n * job.src_n;
    for (int y = 0; y < A; ++y)
      for (int x = 0; x < A; ++x) {
        const bool inside = top + y >= 0 && top + y < job.in_y && left + x >= 0 && left + x < job.in_x;
        from[y * A + x] = inside ? image + (top + y) * job.src_y + (left + x) * job.src_x : job.zeros;
      }
    float* const row = to.data + i * to.row;
    int64_t c = 0;
    if (job.src_c == 1)
      for (; c + kW <= job.channels; c += kW) transform_vector<T>(from, c, row + c, to.plane);
    // Fewer channels than lanes, or channels that are apart.
    for (; c < job.channels; c += kW) {
      alignas(64) float lines[A * A][kW];
      const float* gathered[A * A];
      const int n = job.channels - c < kW ? static_cast<int>(job.channels - c) : kW;
      for (int k = 0; k < A * A; ++k) {
        const F32 line = from[k] == job.zeros ? F32::zero()
                         : job.src_c == 1     ? F32::load_partial(from[k] + c, n)
                                              : F32::load_strided(from[k] + c * job.src_c, job.src_c, n);
        line.store(lines[k]);
        gathered[k] = lines[k];
      }
      transform_vector<T>(gathered, 0, row + c, to.plane);
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
template <int M>
__attribute__((noinline)) void repair(const WinogradJob& job, const TilePlace& at, int64_t rows, int64_t columns, int64_t column,
                                      float (*sums)[kW]) {
  for (int64_t y = 0; y < rows; ++y)
    for (int64_t x = 0; x < columns; ++x) {
      const F32 v = F32::load(sums[y * M + x]);
      if (!any(!is_finite(v))) continue;
      select(is_finite(v), v, strict_sums(job, at.n, at.y * M + y, at.x * M + x, column)).store(sums[y * M + x]);
    }
}

// Outputs of a vector of columns before bias and post-ops.
template <class T>
inline __attribute__((always_inline)) void transform_sums(const float* sums, int64_t plane, F32 (&out)[T::kTile][T::kTile]) {
  constexpr int M = T::kTile, A = M + 2;
  F32 t[M][A];
#pragma GCC unroll 8
  for (int x = 0; x < A; ++x) {
    F32 m[A], y[M];
#pragma GCC unroll 8
    for (int i = 0; i < A; ++i) m[i] = F32::load(sums + (i * A + x) * plane);
    T::output(m, y);
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) t[i][x] = y[i];
  }
#pragma GCC unroll 8
  for (int i = 0; i < M; ++i) T::output(t[i], out[i]);
}

// A tile in the plane of the output: its rows and columns that are inside, and where they lie.
template <int M> struct TileOutput {
  int64_t rows, columns;
  float* dst[M * M];
};

template <class T>
inline __attribute__((always_inline)) void finite_sums(const WinogradJob& job, const TilePlace& at, const TileOutput<T::kTile>& tile,
                                                       const float* sums, int64_t plane, int64_t column, F32 (&out)[T::kTile][T::kTile]) {
  constexpr int M = T::kTile;
  transform_sums<T>(sums, plane, out);
  // Of all of them: 0 times a number is 0, else NaN.
  F32 test = F32::zero();
#pragma GCC unroll 4
  for (int y = 0; y < M; ++y)
#pragma GCC unroll 4
    for (int x = 0; x < M; ++x) test = fma(out[y][x], F32::zero(), test);
  if (__builtin_expect(!any(is_nan(test)), 1)) return;
  alignas(64) float spilled[M * M][kW];
  for (int i = 0; i < M * M; ++i) out[i / M][i % M].store(spilled[i]);
  repair<M>(job, at, tile.rows, tile.columns, column, spilled);
  for (int i = 0; i < M * M; ++i) out[i / M][i % M] = F32::load(spilled[i]);
}

// Nothing but a bias and perhaps relu, into outputs that lie side by side.
template <class T>
__attribute__((noinline)) void finish_directly(const WinogradJob& job, const TilePlace& at, const TileOutput<T::kTile>& tile,
                                               const float* sums, int64_t plane, int64_t column, int64_t columns, bool with_relu) {
  constexpr int M = T::kTile;
  for (int64_t j = 0; j < columns; j += kW, sums += kW) {
    F32 out[M][M];
    finite_sums<T>(job, at, tile, sums, plane, column + j, out);
    if (job.bias != nullptr) {
      const F32 bias = F32::load(job.bias + column + j);
#pragma GCC unroll 16
      for (int i = 0; i < M * M; ++i) out[i / M][i % M] = out[i / M][i % M] + bias;
    }
    if (with_relu) {
#pragma GCC unroll 16
      for (int i = 0; i < M * M; ++i) out[i / M][i % M] = relu(out[i / M][i % M]);
    }
    if (columns - j >= kW && tile.rows == M && tile.columns == M) {
#pragma GCC unroll 16
      for (int i = 0; i < M * M; ++i) out[i / M][i % M].store(tile.dst[i] + column + j);
      continue;
    }
    const int lanes = columns - j < kW ? static_cast<int>(columns - j) : kW;
#pragma GCC unroll 16
    for (int i = 0; i < M * M; ++i)
      if (i / M < tile.rows && i % M < tile.columns) out[i / M][i % M].store_partial(tile.dst[i] + column + j, lanes);
  }
}

// Sums of a part of the columns at a time, then the interpreter of post-ops.
template <class T>
__attribute__((noinline)) void finish_by_chain(const WinogradJob& job, const TilePlace& at, const TileOutput<T::kTile>& tile,
                                               const float* sums, int64_t plane, int64_t column, int64_t columns) {
  constexpr int M = T::kTile;
  constexpr int64_t kStrip = 4 * kW;
  static_assert(M * M <= kMaxEpilogueRows);
  const EpilogueProgram& p = *job.program;
  alignas(64) float strip[M * M][kStrip];
  const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
  float* dst[M * M];
  for (int64_t j = 0; j < columns; j += kStrip) {
    const int64_t left = columns - j < kStrip ? columns - j : kStrip;
    for (int64_t k = 0; k < left; k += kW) {
      F32 out[M][M];
      finite_sums<T>(job, at, tile, sums + j + k, plane, column + j + k, out);
      int row = 0;
#pragma GCC unroll 16
      for (int i = 0; i < M * M; ++i)
        if (i / M < tile.rows && i % M < tile.columns) out[i / M][i % M].store(strip[row++] + k);
    }
    int rows = 0;
    for (int i = 0; i < M * M; ++i) {
      if (i / M >= tile.rows || i % M >= tile.columns) continue;
      dst[rows] = tile.dst[i] + (column + j) * job.dst_c;
      for (int o = 0; o < p.operand_count; ++o) {
        const int64_t* const step = job.operand_step[o];
        operands[o][rows] =
            job.operand[o] + at.n * step[0] + (column + j) * step[1] + (at.y * M + i / M) * step[2] + (at.x * M + i % M) * step[3];
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

template <class T>
void finish_tiles(const WinogradJob& job, int64_t first, int64_t count, int64_t column, int64_t columns, const WinogradPlanes& sums) {
  constexpr int M = T::kTile;
  const EpilogueProgram& p = *job.program;
  const bool with_relu = p.count > 0 && p.steps[0].kind == PostOp::Kind::unary && p.steps[0].unary == UnaryFunction::relu;
  const bool directly = job.dst_c == 1 && p.count == with_relu;
  TilePlace at(job, first);
  for (int64_t i = 0; i < count; ++i, at.advance(job)) {
    TileOutput<M> tile;
    const int64_t y = at.y * M, x = at.x * M;
    tile.rows = job.out_y - y < M ? job.out_y - y : M;
    tile.columns = job.out_x - x < M ? job.out_x - x : M;
    float* const corner = job.dst + at.n * job.dst_n + y * job.dst_y + x * job.dst_x;
    for (int k = 0; k < M * M; ++k)
      tile.dst[k] = k / M < tile.rows && k % M < tile.columns ? corner + k / M * job.dst_y + k % M * job.dst_x : nullptr;
    const float* const row = sums.data + i * sums.row;
    if (directly) finish_directly<T>(job, at, tile, row, sums.plane, column, columns, with_relu);
    else finish_by_chain<T>(job, at, tile, row, sums.plane, column, columns);
  }
}

void transform(const WinogradJob& job, int tile, int64_t first, int64_t count, const WinogradPlanes& to) {
  if (tile == 4) transform_tiles<TilesOfFour>(job, first, count, to);
  else transform_tiles<TilesOfTwo>(job, first, count, to);
}
void finish(const WinogradJob& job, int tile, int64_t first, int64_t count, int64_t column, int64_t columns, const WinogradPlanes& sums) {
  if (tile == 4) finish_tiles<TilesOfFour>(job, first, count, column, columns, sums);
  else finish_tiles<TilesOfTwo>(job, first, count, column, columns, sums);
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
