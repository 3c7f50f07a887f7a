// SPDX-License-Identifier: Apache-2.0
// The rows of doubles.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/kernels/doubles/rows.h"
#include "core/kernels/eltwise/doubles.inl.h"
#include "core/kernels/simd/doubles.h"
#include "core/kernels/simd/fused_doubles.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kW = kDoubles;
using Vector = Doubles<kW>;

// x - 0 is x, of either sign: one broadcast. Written lane by lane it would be one for each.
__attribute__((always_inline)) inline Vector everywhere(double x) { return x - Vector{}; }

// --- products ---------------------------------------------------------------------------------------------------

constexpr int kTileVectors = static_cast<int>(kDoubleColumns) / kW;
constexpr int kHalf = kTileVectors > 2 ? 2 : kTileVectors;  // vectors of columns at a time: registers hold no more

template <int R> __attribute__((always_inline)) inline void tile_rows(const DoubleTile& t, int64_t row) {
  for (int from = 0; from < kTileVectors; from += kHalf) {
    Vector acc[R][kHalf] = {};
    for (int64_t k = 0; k < t.k; ++k) {
      Vector b[kHalf];
#pragma GCC unroll copies(2)
      for (int v = 0; v < kHalf; ++v) b[v] = load_doubles<kW>(t.b + k * t.b_step + (from + v) * kW);
#pragma GCC unroll copies(8)
      for (int r = 0; r < R; ++r) {
        const Vector a = everywhere(t.a[row + r][k * t.a_step]);
#pragma GCC unroll copies(2)
        for (int v = 0; v < kHalf; ++v) acc[r][v] = fused<kW>(a, b[v], acc[r][v]);
      }
    }
    const auto finish = [&](auto total) __attribute__((always_inline)) {
#pragma GCC unroll copies(8)
      for (int r = 0; r < R; ++r)
#pragma GCC unroll copies(2)
        for (int v = 0; v < kHalf; ++v) {
          double* to = t.totals + (row + r) * t.total_step + (from + v) * kW;
          store_doubles<kW>(to, total(to, acc[r][v]));
        }
    };
    if (t.first) finish([](double*, Vector sum) { return sum; });
    else finish([](double* to, Vector sum) { return load_doubles<kW>(to) + sum; });
  }
}

inline void double_tile(const DoubleTile& t) noexcept {
  constexpr int kMost = kW == 8 ? 8 : 4;
  int64_t row = 0;
  for (; row + kMost <= t.rows; row += kMost) tile_rows<kMost>(t, row);
  if (kMost > 4 && row + 4 <= t.rows) tile_rows<4>(t, row), row += 4;
  if (row + 2 <= t.rows) tile_rows<2>(t, row), row += 2;
  if (row < t.rows) tile_rows<1>(t, row);
}

// --- steps of a reduction: on vectors and on numbers ------------------------------------------------------------

__attribute__((always_inline)) inline double multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
__attribute__((always_inline)) inline Vector multiply_add(Vector a, Vector b, Vector c) { return fused<kW>(a, b, c); }
__attribute__((always_inline)) inline double magnitude(double x) { return __builtin_fabs(x); }
__attribute__((always_inline)) inline Vector magnitude(Vector x) {
  return __builtin_bit_cast(Vector, __builtin_bit_cast(DoubleBits<kW>, x) & INT64_MAX);
}
// NaN if either is; +0 is larger than -0.
__attribute__((always_inline)) inline double larger(double a, double b) {
  return a != a || b != b ? a + b : a > b || (a == b && __builtin_bit_cast(int64_t, a) >= 0) ? a : b;
}
__attribute__((always_inline)) inline double smaller(double a, double b) {
  return a != a || b != b ? a + b : a < b || (a == b && __builtin_bit_cast(int64_t, a) < 0) ? a : b;
}
__attribute__((always_inline)) inline Vector larger(Vector a, Vector b) {
  const DoubleBits<kW> first = (a > b) | ((a == b) & (__builtin_bit_cast(DoubleBits<kW>, a) >= 0));
  return chosen<kW>((a != a) | (b != b), a + b, chosen<kW>(first, a, b));
}
__attribute__((always_inline)) inline Vector smaller(Vector a, Vector b) {
  const DoubleBits<kW> first = (a < b) | ((a == b) & (__builtin_bit_cast(DoubleBits<kW>, a) < 0));
  return chosen<kW>((a != a) | (b != b), a + b, chosen<kW>(first, a, b));
}

// Calls f(start, step, join) of a kind of sums, or of any.
template <class F> inline auto with_double_sums(ReduceKind kind, F f) {
  const auto plus = [](auto a, auto b) { return a + b; };
  switch (kind) {
    case ReduceKind::sum_square:
    case ReduceKind::l2:
      return f(
          0.0, [](auto acc, auto x) { return multiply_add(x, x, acc); }, plus);
    case ReduceKind::l1:
      return f(
          0.0, [](auto acc, auto x) { return acc + magnitude(x); }, plus);
    case ReduceKind::prod: {
      const auto times = [](auto a, auto b) { return a * b; };
      return f(1.0, times, times);
    }
    default: return f(0.0, plus, plus);
  }
}
template <class F> inline auto with_double_step(ReduceKind kind, F f) {
  switch (kind) {
    case ReduceKind::max: {
      const auto most = [](auto a, auto b) { return larger(a, b); };
      return f(-__builtin_inf(), most, most);
    }
    case ReduceKind::min: {
      const auto least = [](auto a, auto b) { return smaller(a, b); };
      return f(__builtin_inf(), least, least);
    }
    default: return with_double_sums(kind, f);
  }
}
inline double finished(ReduceKind kind, double total, int64_t count) {
  return kind == ReduceKind::mean ? total / static_cast<double>(count) : kind == ReduceKind::l2 ? __builtin_sqrt(total) : total;
}

// -1 in the first n lanes, 0 in the others.
__attribute__((always_inline)) inline DoubleBits<kW> first_lanes(int n) {
  DoubleBits<kW> index;
  for (int k = 0; k < kW; ++k) index[k] = k;
  return index < (DoubleBits<kW>{} + n);
}
// lane i = join(lane i, lane i + h) for h = kHalf, kHalf / 2, ..., 1.
template <size_t kHalf, size_t... kLane> __attribute__((always_inline)) inline Vector lanes_from(Vector v, std::index_sequence<kLane...>) {
  return __builtin_shufflevector(v, v, ((kLane + kHalf) % kW)...);
}
template <size_t kHalf, class Join> __attribute__((always_inline)) inline double joined_lanes(Vector v, Join join) {
  if constexpr (kHalf == 0) return v[0];
  else return joined_lanes<kHalf / 2>(join(v, lanes_from<kHalf>(v, std::make_index_sequence<kW>())), join);
}

// The lane rule over elements side by side, each of which `value` turns into what is reduced (a number or a vector of them).
template <class Value, class Step, class Join>
inline double double_lanes(const double* x, int64_t n, double start, Value value, Step step, Join join, double total, bool first) {
  constexpr int kVectors = kReductionLanes / kW;
  for (int64_t b = 0; b < n; b += kLaneBlock) {
    const int64_t end = n - b < kLaneBlock ? n : b + kLaneBlock;
    Vector acc[kVectors];
    for (Vector& v : acc) v = Vector{} + start;
    int64_t r = b;
    for (; r + kReductionLanes <= end; r += kReductionLanes)
#pragma GCC unroll copies(16)
      for (int v = 0; v < kVectors; ++v) acc[v] = step(acc[v], value(load_doubles<kW>(x + r + v * kW)));
    // What is left: whole vectors, then one of which some lanes keep what they have.
    for (int v = 0; v < kVectors && r < end; ++v, r += kW) {
      const bool whole = r + kW <= end;
      double rest[kW];
      for (int k = 0; !whole && k < kW; ++k) rest[k] = x[r + k < end ? r + k : r];
      const Vector taken = step(acc[v], value(load_doubles<kW>(whole ? x + r : rest)));
      acc[v] = whole ? taken : chosen<kW>(first_lanes(static_cast<int>(end - r)), taken, acc[v]);
    }
#pragma GCC unroll copies(16)
    for (int h = kVectors / 2; h >= 1; h /= 2)
#pragma GCC unroll copies(16)
      for (int v = 0; v < h; ++v) acc[v] = join(acc[v], acc[v + h]);
    double lane[1] = {joined_lanes<kW / 2>(acc[0], join)};
    total = first ? lane[0] : join(total, lane[0]);
    first = false;
  }
  return total;
}

// t[i][j] and t[j][i] change places.
template <int kDistance, size_t... kLane>
__attribute__((always_inline)) inline void turn_pair(Vector& a, Vector& b, std::index_sequence<kLane...>) {
  const Vector low = __builtin_shufflevector(a, b, ((kLane & kDistance) != 0 ? kW + kLane - kDistance : kLane)...);
  b = __builtin_shufflevector(a, b, ((kLane & kDistance) != 0 ? kW + kLane : kLane + kDistance)...);
  a = low;
}
template <int kDistance> __attribute__((always_inline)) inline void turn(Vector (&t)[kW]) {
  if constexpr (kDistance < kW) {
#pragma GCC unroll copies(8)
    for (int i = 0; i < kW; ++i)
      if ((i & kDistance) == 0) turn_pair<kDistance>(t[i], t[i + kDistance], std::make_index_sequence<kW>());
    turn<2 * kDistance>(t);
  }
}

// The chain rule over elements side by side: blocks are chains of their own, so a vector takes as many of them as it has lanes.
template <class Step, class Join>
inline double double_chain_along(const double* x, int64_t n, double start, Step step, Join join, double total, bool first) {
  const auto add = [&](double block) {
    total = first ? block : join(total, block);
    first = false;
  };
  while (n >= kChainBlock) {
    const int blocks = static_cast<int>(n / kChainBlock < kW ? n / kChainBlock : kW);
    Vector acc = Vector{} + start;
    for (int64_t c = 0; c < kChainBlock; c += kW) {
      Vector t[kW];
#pragma GCC unroll copies(8)
      for (int k = 0; k < kW; ++k) t[k] = load_doubles<kW>(x + (k < blocks ? k : 0) * kChainBlock + c);
      turn<1>(t);
#pragma GCC unroll copies(8)
      for (int k = 0; k < kW; ++k) acc = step(acc, t[k]);
    }
    double values[kW];
    store_doubles<kW>(values, acc);
    for (int k = 0; k < blocks; ++k) add(values[k]);
    x += blocks * kChainBlock;
    n -= blocks * kChainBlock;
  }
  if (n == 0) return total;
  double rest = start;
  for (int64_t i = 0; i < n; ++i) rest = step(rest, x[i]);
  add(rest);
  return total;
}

// The largest or the least: the plain one of vectors, which knows no NaN and no sign of 0, and masks for these.
template <bool kMax> inline double extreme_of_doubles(const double* x, int64_t n) {
  constexpr int kSome = 4;
  Vector m[kSome];
  DoubleBits<kW> nan{}, signs = DoubleBits<kW>{} - (kMax ? 1 : 0);
  for (Vector& v : m) v = Vector{} + (kMax ? -__builtin_inf() : __builtin_inf());
  const auto take = [&](Vector& best, Vector v) {
    best = chosen<kW>(kMax ? v > best : v < best, v, best);
    nan |= v != v;
    if (kMax) signs &= __builtin_bit_cast(DoubleBits<kW>, v);
    else signs |= __builtin_bit_cast(DoubleBits<kW>, v);
  };
  int64_t i = 0;
  for (; i + kSome * kW <= n; i += kSome * kW)
#pragma GCC unroll copies(4)
    for (int k = 0; k < kSome; ++k) take(m[k], load_doubles<kW>(x + i + k * kW));
  for (; i + kW <= n; i += kW) take(m[1], load_doubles<kW>(x + i));
  if (i < n) {  // an element again changes nothing
    double rest[kW];
    for (int k = 0; n < kW && k < kW; ++k) rest[k] = x[k < n ? k : 0];
    take(m[0], load_doubles<kW>(n < kW ? rest : x + n - kW));
  }
  const auto plain = [](Vector a, Vector b) { return chosen<kW>(kMax ? b > a : b < a, b, a); };
  const double best = joined_lanes<kW / 2>(plain(plain(m[0], m[1]), plain(m[2], m[3])), plain);
  int64_t any_nan = 0, sign = kMax ? -1 : 0;
  for (int k = 0; k < kW; ++k) {
    any_nan |= nan[k];
    sign = kMax ? sign & signs[k] : sign | signs[k];
  }
  if (any_nan != 0) return __builtin_nan("");
  return best == 0.0 ? (sign < 0 ? -0.0 : 0.0) : best;
}

inline double double_part(const DoublePart& p) noexcept {
  if (p.n > 0 && (p.kind == ReduceKind::max || p.kind == ReduceKind::min)) {
    const bool max = p.kind == ReduceKind::max;
    const double best = max ? extreme_of_doubles<true>(p.x, p.n) : extreme_of_doubles<false>(p.x, p.n);
    return p.first ? best : max ? larger(p.total, best) : smaller(p.total, best);
  }
  return with_double_sums(p.kind, [&](double start, auto step, auto join) {
    return p.lanes ? double_lanes(
                         p.x, p.n, start, [](auto v) { return v; }, step, join, p.total, p.first)
                   : double_chain_along(p.x, p.n, start, step, join, p.total, p.first);
  });
}
inline double reduce_doubles(ReduceKind kind, const double* x, int64_t n) noexcept {
  return finished(kind, double_part({kind, true, x, n, 0.0, true}), n);
}

// N vectors of outputs.
template <int N, class Load, class Step, class Join>
inline void double_chain(const ReducedAxes& axes, double start, Load load, Step step, Join join, Vector* total) {
  for (int j = 0; j < N; ++j) total[j] = Vector{} + start;
  ReducedCursor at{axes};
  for (int64_t b = 0; b < axes.count; b += kChainBlock) {
    int64_t left = axes.count - b < kChainBlock ? axes.count - b : kChainBlock;
    Vector part[N];
    for (int j = 0; j < N; ++j) part[j] = Vector{} + start;
    while (left > 0) {
      const int64_t n = left < at.run() ? left : at.run(), stride = axes.in_strides[axes.rank - 1];
      for (int64_t i = 0; i < n; ++i)
#pragma GCC unroll copies(4)
        for (int j = 0; j < N; ++j) part[j] = step(part[j], load(at.in + i * stride, j));
      at.advance(n);
      left -= n;
    }
    for (int j = 0; j < N; ++j) total[j] = b == 0 ? part[j] : join(total[j], part[j]);
  }
}

// At least a vector of outputs; the last vectors of some overlap.
inline void double_chains(const DoubleChains& c) noexcept {
  constexpr int kSome = 4;
  for (int64_t i = 0; i < c.width; i += kSome * kW) {
    int64_t first[kSome];
    for (int j = 0; j < kSome; ++j) first[j] = i + j * kW + kW <= c.width ? i + j * kW : c.width - kW;
    Vector v[kSome];
    with_double_step(c.kind, [&](double start, auto step, auto join) {
      double_chain<kSome>(
          *c.axes, start, [&](int64_t at, int j) { return load_doubles<kW>(c.in + first[j] + at); }, step, join, v);
      return 0;
    });
#pragma GCC unroll 1
    for (int j = 0; j < kSome; ++j) {
      double t[kW];
      store_doubles<kW>(t, v[j]);
#pragma GCC unroll 1
      for (int k = 0; k < kW; ++k) c.out[(first[j] + k) * c.out_stride] = finished(c.kind, t[k], c.axes->count);
    }
  }
}

// For maxima over windows; `count` is at least 1.
inline void most_of_doubles(const double* const* rows, int64_t count, double* y, int64_t n) noexcept {
  int64_t i = 0;
  for (; i + kW <= n; i += kW) {
    Vector m = load_doubles<kW>(rows[0] + i);
    for (int64_t r = 1; r < count; ++r) m = larger(m, load_doubles<kW>(rows[r] + i));
    store_doubles<kW>(y + i, m);
  }
  for (; i < n; ++i) {
    double m = rows[0][i];
    for (int64_t r = 1; r < count; ++r) m = larger(m, rows[r][i]);
    y[i] = m;
  }
}

// --- rows -------------------------------------------------------------------------------------------------------

// y[i] = f(x[i]) on vectors, the last ones on a vector of their own.
template <class F> inline void map_doubles(const double* x, double* y, int64_t n, F f) {
  int64_t i = 0;
  for (; i + kW <= n; i += kW) store_doubles<kW>(y + i, f(load_doubles<kW>(x + i), i));
  if (i == n) return;
  double rest[kW] = {};
  for (int64_t k = 0; k < n - i; ++k) rest[k] = x[i + k];
  store_doubles<kW>(rest, f(load_doubles<kW>(rest), i));
  for (int64_t k = 0; k < n - i; ++k) y[i + k] = rest[k];
}

inline void exp_less_doubles(const double* x, double m, double* y, int64_t n) noexcept {
  map_doubles(x, y, n, [m](Vector v, int64_t) { return exp_of_doubles<kW>(v - m); });
}

inline void softmax_doubles(const double* x, double* y, int64_t n) noexcept {
  const double m = reduce_doubles(ReduceKind::max, x, n);
  exp_less_doubles(x, m, y, n);
  const double part = 1.0 / reduce_doubles(ReduceKind::sum, y, n);
  map_doubles(y, y, n, [part](Vector v, int64_t) { return v * part; });
}

inline void layer_norm_doubles(const double* x, const double* scale, const double* shift, double epsilon, double* y, int64_t n) noexcept {
  const double mean = reduce_doubles(ReduceKind::mean, x, n);
  const auto plus = [](auto a, auto b) { return a + b; };
  const double square = double_lanes(
      x, n, 0.0, [mean](auto v) { return v - mean; }, [](auto acc, auto d) { return multiply_add(d, d, acc); }, plus, 0.0, true);
  const double rstd = 1.0 / __builtin_sqrt(square / static_cast<double>(n) + epsilon);
  const auto parameter = [n](const double* p, int64_t i) {
    if (i + kW <= n) return load_doubles<kW>(p + i);
    Vector v{};
    for (int64_t k = 0; k < n - i; ++k) v[k] = p[i + k];
    return v;
  };
  map_doubles(x, y, n, [&](Vector v, int64_t i) {
    const Vector o = (v - mean) * rstd;
    if (scale != nullptr && shift != nullptr) return fused<kW>(o, parameter(scale, i), parameter(shift, i));
    if (scale != nullptr) return o * parameter(scale, i);
    return shift != nullptr ? o + parameter(shift, i) : o;
  });
}

constexpr DoubleRows kDoubleRows = {double_tile,     double_part,     double_chains,     exp_less_doubles,
                                    softmax_doubles, most_of_doubles, layer_norm_doubles};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
