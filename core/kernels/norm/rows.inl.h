// SPDX-License-Identifier: Apache-2.0
// Softmax and layer norm over a vector type F32.
#pragma once

#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/norm/rows.h"
#include "core/kernels/reduce/lanes.inl.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// Differences from the largest element are not positive (or NaN): exponentials here are those of small numbers.

inline void store_lanes(float* p, F32 v, int lanes) {
  if (lanes == kWidth) v.store(p);
  else v.store_partial(p, lanes);
}

// f(at, value, lanes) over n contiguous elements.
template <class F> inline void over_row(const float* x, int64_t n, F f) {
  int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) f(i, F32::load(x + i), kWidth);
  if (i < n) f(i, F32::load_partial(x + i, static_cast<int>(n - i)), static_cast<int>(n - i));
}

// The chain rule over a contiguous row, scalar: one addition per element, in order.
inline float chain_sum(const float* x, int64_t n) {
  float total = 0.f;
  for (int64_t b = 0; b < n; b += kChainBlock) {
    const int64_t end = n - b < kChainBlock ? n : b + kChainBlock;
    float acc = 0.f;
    for (int64_t i = b; i < end; ++i) acc = acc + x[i];
    total = b == 0 ? acc : total + acc;
  }
  return total;
}

// The largest of n contiguous elements. NaN are left out: whatever subtracts the result from them finds them again. So it does not
// matter which zero it is either: exp of both is 1, and the logarithm of a sum of two or more is not 0.
inline F32 largest(const float* x, int64_t n) {
  constexpr int kChains = 4;
  const F32 low = F32::set(-__builtin_inff());
  F32 m[kChains] = {low, low, low, low};
  int64_t i = 0;
  for (; i + kChains * kWidth <= n; i += kChains * kWidth)
    for (int k = 0; k < kChains; ++k) m[k] = pick_greater(F32::load(x + i + k * kWidth), m[k]);
  for (; i + kWidth <= n; i += kWidth) m[0] = pick_greater(F32::load(x + i), m[0]);
  if (i < n) {
    const int lanes = static_cast<int>(n - i);
    m[1] = pick_greater(select(F32::first_lanes(lanes), F32::load_partial(x + i, lanes), low), m[1]);
  }
  F32 r = pick_greater(pick_greater(m[0], m[1]), pick_greater(m[2], m[3]));
  if constexpr (kWidth > 8) r = pick_greater(r, upper<8>(r));
  r = pick_greater(r, upper<4>(r));
  r = pick_greater(r, upper<2>(r));
  return F32::set(first(pick_greater(r, upper<1>(r))));
}

// The sum of the exponentials of x - m. For softmax they stay in y; for log-softmax nothing but the sum needs them, and y holds them
// only until it is overwritten.
inline float sum_of_exponentials(const SoftmaxStrip& s, const float* x, float* y, F32 m) {
  const int64_t n = s.count;
  if (s.lanes)
    return reduce_lanes(
        x, n, 0.f,
        [&](F32 acc, F32 v, int64_t at, int lanes) {
          const F32 e = exp_of_small_or_zero(v - m);
          if (!s.log) store_lanes(y + at, e, lanes);
          return acc + e;
        },
        [](F32 a, F32 b) { return a + b; });
  if (s.log && x == y) {
    // In place the exponentials have nowhere to go: element by element.
    float total = 0.f, acc = 0.f;
    for (int64_t i = 0; i < n; ++i) {
      acc = acc + first(exp_of_small_or_zero(F32::set(x[i]) - m));
      if ((i + 1) % kChainBlock == 0 || i + 1 == n) {
        total = i < kChainBlock ? acc : total + acc;
        acc = 0.f;
      }
    }
    return total;
  }
  over_row(x, n, [&](int64_t at, F32 v, int lanes) { store_lanes(y + at, exp_of_small_or_zero(v - m), lanes); });
  return chain_sum(y, n);
}

// Rows whose axis is contiguous in both tensors. Short ones go through each pass together: what a row's reduction waits for at its
// end, the next one's loads and products fill.
constexpr int kRowsAtOnce = 4;
constexpr int64_t kRowsTogether = 1024;  // elements: four such rows stay in L1

inline void softmax_rows(const SoftmaxStrip& s, const float* in, float* out, int rows) {
  F32 m[kRowsAtOnce];
  float sum[kRowsAtOnce];
  for (int r = 0; r < rows; ++r) m[r] = largest(in + r * s.in_stride, s.count);
  for (int r = 0; r < rows; ++r) sum[r] = sum_of_exponentials(s, in + r * s.in_stride, out + r * s.out_stride, m[r]);
  for (int r = 0; r < rows; ++r) {
    const float* x = in + r * s.in_stride;
    float* y = out + r * s.out_stride;
    if (s.log) {
      const F32 l = log(F32::set(sum[r]));
      over_row(x, s.count, [&](int64_t at, F32 v, int lanes) { store_lanes(y + at, (v - m[r]) - l, lanes); });
    } else {
      const F32 scale = F32::set(1.f) / F32::set(sum[r]);
      over_row(y, s.count, [&](int64_t at, F32 e, int lanes) { store_lanes(y + at, e * scale, lanes); });
    }
  }
}

// One vector of neighbours. load(offset) and store(offset, v) see the axis.
template <class Load, class Store, class Reload> inline void softmax_across(const SoftmaxStrip& s, Load load, Store store, Reload reload) {
  ReducedAxes axis;
  axis.count = axis.dims[0] = s.count;
  axis.in_strides[0] = s.in_step;
  F32 m = F32::set(-__builtin_inff());
  for (int64_t r = 0; r < s.count; ++r) m = pick_greater(load(r), m);  // as largest()
  const auto plus = [](F32 a, F32 b) { return a + b; };
  const auto position = [&](int64_t r) {
    const F32 e = exp_of_small_or_zero(load(r) - m);
    if (!s.log) store(r, e);
    return e;
  };
  F32 sum;
  if (s.lanes)
    reduce_lanes_across(
        axis, 0.f, [](int64_t) { return F32::zero(); }, [&](F32 acc, F32, int64_t r) { return acc + position(r); }, plus, &sum);
  else
    reduce_chain<1>(
        axis, 0.f, [](int64_t, int) { return F32::zero(); }, [&](F32 acc, F32, int64_t r, int) { return acc + position(r); }, plus, &sum);
  if (s.log) {
    const F32 l = log(sum);
    for (int64_t r = 0; r < s.count; ++r) store(r, (load(r) - m) - l);
  } else {
    const F32 scale = F32::set(1.f) / sum;
    for (int64_t r = 0; r < s.count; ++r) store(r, reload(r) * scale);
  }
}

// Portable vectors are arrays of floats in memory: what is written for registers would only make them larger.
constexpr bool kVectorsInRegisters = alignof(F32) > alignof(float);

// Many short contiguous rows (attention, a distance head's 16 bins): as many rows as a vector has lanes are turned into
// vectors across rows, so that maxima, sums and the reciprocal are made for all of them at once.
constexpr int64_t kShortRow = 64;

// Of at least as many elements as the rule has lanes: exponentials along the rows, of the last few elements across them; only maxima
// and sums are turned. p, q: where rows begin; `live` of them are real.
inline void softmax_rows_along(const SoftmaxStrip& s, const float* const (&p)[kWidth], float* const (&q)[kWidth], int live) {
  constexpr int kParts = kReductionLanes / kWidth, kFew = kWidth / 4;
  const int whole = static_cast<int>(s.count / kWidth), rest = static_cast<int>(s.count % kWidth);
  const int columns = rest <= kFew ? rest : 0, vectors = whole + (rest > kFew ? 1 : 0);
  const F32::Mask last = F32::first_lanes(rest > kFew ? rest : kWidth);  // of the last vector
  const F32 low = F32::set(-__builtin_inff());
  alignas(64) float e[kWidth][kShortRow], side[kFew][kWidth], m[kWidth];
  const auto load = [&](int k, int v) {
    return v == whole ? select(last, F32::load_partial(p[k] + v * kWidth, rest), low) : F32::load(p[k] + v * kWidth);
  };
  F32 t[kWidth];
  for (int k = 0; k < kWidth; ++k) {
    t[k] = low;
    for (int v = 0; v < vectors; ++v) t[k] = pick_greater(load(k, v), t[k]);  // as largest()
  }
  transpose(t);
  for (int h = kWidth / 2; h >= 1; h /= 2)
    for (int l = 0; l < h; ++l) t[l] = pick_greater(t[l], t[l + h]);
  F32 greatest = t[0];
  for (int c = 0; c < columns; ++c) {
    for (int k = 0; k < kWidth; ++k) side[c][k] = p[k][whole * kWidth + c];
    greatest = pick_greater(F32::load(side[c]), greatest);
  }
  greatest.store(m);
  F32 lanes[kReductionLanes];
  for (int k = 0; k < kWidth; ++k) {
    const F32 most = F32::set(m[k]);
    for (int v = 0; v < vectors; ++v) {
      F32 y = exp_of_small_or_zero(load(k, v) - most);
      if (v == whole) y = select(last, y, F32::zero());
      y.store(e[k] + v * kWidth);
    }
  }
  for (int part = 0; part < kParts; ++part) {
    for (int k = 0; k < kWidth; ++k) {
      t[k] = F32::load(e[k] + part * kWidth);
      if (part + kParts < vectors) t[k] = t[k] + F32::load(e[k] + (part + kParts) * kWidth);
    }
    transpose(t);
    for (int k = 0; k < kWidth; ++k) lanes[part * kWidth + k] = t[k];
  }
  for (int c = 0; c < columns; ++c) {
    const F32 y = exp_of_small_or_zero(F32::load(side[c]) - greatest);
    y.store(side[c]);
    F32& lane = lanes[(whole * kWidth + c) % kReductionLanes];
    lane = lane + y;
  }
  for (int h = kReductionLanes / 2; h >= 1; h /= 2)
    for (int l = 0; l < h; ++l) lanes[l] = lanes[l] + lanes[l + h];
  const F32 scale = F32::set(1.f) / lanes[0];
  scale.store(m);
  for (int c = 0; c < columns; ++c) (F32::load(side[c]) * scale).store(side[c]);
  for (int k = 0; k < live; ++k) {
    const F32 by = F32::set(m[k]);
    for (int v = 0; v < vectors; ++v) store_lanes(q[k] + v * kWidth, F32::load(e[k] + v * kWidth) * by, v == whole ? rest : kWidth);
    for (int c = 0; c < columns; ++c) q[k][whole * kWidth + c] = side[c][k];
  }
}

inline void softmax_short_rows(const SoftmaxStrip& s) {
  const int64_t n = s.count, rows = s.width * s.height;
  const bool along = kWidth == 16 && s.lanes && !s.log && s.out_step == 1 && n >= kReductionLanes;  // with 8 lanes it is no faster
  for (int64_t i = 0; i < rows; i += kWidth) {
    const int live = static_cast<int>(rows - i < kWidth ? rows - i : kWidth);
    const float* p[kWidth];
    float* q[kWidth];
    int64_t h = i / s.width, w = i % s.width;
    const bool one_line = w + kWidth <= s.width;
    for (int k = 0; k < kWidth; ++k) {
      // Lanes without a row read the first one's.
      p[k] = k < live ? s.in + h * s.in_pitch + w * s.in_stride : p[0];
      q[k] = s.out + h * s.out_pitch + w * s.out_stride;
      if (++w == s.width) w = 0, ++h;
    }
    if constexpr (kWidth == 16)
      if (along) {
        softmax_rows_along(s, p, q, live);
        continue;
      }
    F32 e[kShortRow], t[kWidth];
    F32 m = F32::set(-__builtin_inff());
    for (int64_t c = 0; c < n; c += kWidth) {
      const int lanes = static_cast<int>(n - c < kWidth ? n - c : kWidth);
      for (int k = 0; k < kWidth; ++k) t[k] = lanes == kWidth ? F32::load(p[k] + c) : F32::load_partial(p[k] + c, lanes);
      transpose(t);
      for (int k = 0; k < lanes; ++k) {
        m = pick_greater(t[k], m);  // as largest()
        e[c + k] = t[k];
      }
    }
    for (int64_t r = 0; r < n; ++r) e[r] = s.log ? e[r] - m : exp_of_small_or_zero(e[r] - m);
    const auto value = [&](int64_t r) { return s.log ? exp_of_small_or_zero(e[r]) : e[r]; };
    F32 sum = F32::zero();
    if (s.lanes) {
      F32 acc[kReductionLanes];
      for (int k = 0; k < kReductionLanes; ++k) acc[k] = F32::zero();
      for (int64_t r = 0; r < n; ++r) acc[r % kReductionLanes] = acc[r % kReductionLanes] + value(r);
      for (int k = kReductionLanes / 2; k >= 1; k /= 2)
        for (int l = 0; l < k; ++l) acc[l] = acc[l] + acc[l + k];
      sum = acc[0];
    } else {
      for (int64_t r = 0; r < n; ++r) sum = sum + value(r);
    }
    const F32 last = s.log ? log(sum) : F32::set(1.f) / sum;
    for (int64_t r = 0; r < n; ++r) e[r] = s.log ? e[r] - last : e[r] * last;
    if (s.out_step == 1) {
      for (int64_t c = 0; c < n; c += kWidth) {
        const int lanes = static_cast<int>(n - c < kWidth ? n - c : kWidth);
        for (int k = 0; k < kWidth; ++k) t[k] = e[c + (k < lanes ? k : 0)];
        transpose(t);
        for (int k = 0; k < live; ++k) store_lanes(q[k] + c, t[k], lanes);
      }
    } else if (one_line && s.out_stride == 1) {
      for (int64_t r = 0; r < n; ++r) e[r].store(q[0] + r * s.out_step);
    } else {
      for (int64_t r = 0; r < n; ++r) {
        float v[kWidth];
        e[r].store(v);
        for (int k = 0; k < live; ++k) q[k][r * s.out_step] = v[k];
      }
    }
  }
}

// One line of neighbours.
inline void softmax_line(const SoftmaxStrip& s, const float* in, float* out) {
  if ((s.in_step == 1 && s.out_step == 1) || s.count == 1) {
    const int64_t most = s.count <= kRowsTogether ? kRowsAtOnce : 1;
    for (int64_t i = 0; i < s.width; i += most)
      softmax_rows(s, in + i * s.in_stride, out + i * s.out_stride, static_cast<int>(s.width - i < most ? s.width - i : most));
    return;
  }
  for (int64_t i = 0; i < s.width; i += kWidth) {
    const int lanes = static_cast<int>(s.width - i < kWidth ? s.width - i : kWidth);
    const float* p = in + i * s.in_stride;
    float* q = out + i * s.out_stride;
    if (s.in_stride == 1 && s.out_stride == 1 && lanes == kWidth) {
      softmax_across(
          s, [&](int64_t r) { return F32::load(p + r * s.in_step); }, [&](int64_t r, F32 v) { v.store(q + r * s.out_step); },
          [&](int64_t r) { return F32::load(q + r * s.out_step); });
    } else {
      softmax_across(
          s, [&](int64_t r) { return F32::load_strided(p + r * s.in_step, s.in_stride, lanes); },
          [&](int64_t r, F32 v) {
            float t[kWidth];
            v.store(t);
            for (int k = 0; k < lanes; ++k) q[r * s.out_step + k * s.out_stride] = t[k];
          },
          [&](int64_t r) { return F32::load_strided(q + r * s.out_step, s.out_stride, lanes); });
    }
  }
}

inline void run_softmax(const SoftmaxStrip& s) {
  if (s.in_step == 1 && s.count > 1 && s.count <= kShortRow && s.width * s.height >= 4) return softmax_short_rows(s);
  for (int64_t h = 0; h < s.height; ++h) softmax_line(s, s.in + h * s.in_pitch, s.out + h * s.out_pitch);
}

inline void run_layer_norm(const LayerNormRow& row) {
  const int64_t n = row.count;
  const auto plus = [](F32 a, F32 b) { return a + b; };
  const float sum = reduce_lanes(
      row.in, n, 0.f, [](F32 acc, F32 v, int64_t, int) { return acc + v; }, plus);
  const F32 count = F32::set(static_cast<float>(n));
  const F32 mean = F32::set(sum) / count;
  // Padding lanes of a tail would count as (0 - mean)^2; reduce_lanes drops them.
  const float square = reduce_lanes(
      row.in, n, 0.f,
      [&](F32 acc, F32 v, int64_t, int) {
        const F32 d = v - mean;
        return fma(d, d, acc);
      },
      plus);
  const F32 rstd = F32::set(1.f) / sqrt(F32::set(square) / count + F32::set(row.epsilon));
  over_row(row.in, n, [&](int64_t at, F32 v, int lanes) {
    F32 y = (v - mean) * rstd;
    const auto parameter = [&](const float* p) { return lanes == kWidth ? F32::load(p + at) : F32::load_partial(p + at, lanes); };
    if (row.scale && row.bias) y = fma(y, parameter(row.scale), parameter(row.bias));
    else if (row.scale) y = y * parameter(row.scale);
    else if (row.bias) y = y + parameter(row.bias);
    store_lanes(row.out + at, y, lanes);
  });
}

// Where neighbours lie side by side each lane of a vector has a row of its own, and the 32 lanes of the rule are 32 vectors, which
// lie in the first cache: rows of a channels-last image are read as they lie, once for the sums and once for the squares.

// Positions of a lane that its sums, in registers, take in before they are stored again: more would leave the first cache.
constexpr int64_t kTurns = 16;
constexpr int kSumsAtOnce = !kVectorsInRegisters ? 1 : kWidth == 16 ? 16 : 8;  // half of the registers

// kLanes lanes from `lane` on, kVectors vectors of neighbours from i on: `turns` positions of each lane from b on.
template <bool kSquares, int kLanes, int kVectors, class Load>
inline __attribute__((always_inline)) void add_turns(const LaneSums& s, int64_t b, int lane, int64_t turns, int64_t i, Load load) {
  F32 acc[kLanes][kVectors], mean[kVectors];
  float* sums = s.sums + lane * kStripWidth + i;
#pragma GCC unroll copies(16)
  for (int l = 0; l < kLanes; ++l)
#pragma GCC unroll copies(4)
    for (int v = 0; v < kVectors; ++v) acc[l][v] = F32::load(sums + l * kStripWidth + v * kWidth);
  if constexpr (kSquares)
#pragma GCC unroll copies(4)
    for (int v = 0; v < kVectors; ++v) mean[v] = F32::load(s.mean + i + v * kWidth);
  const float* p = s.in + (b + lane) * s.step + i;
  for (int64_t t = 0; t < turns; ++t, p += kReductionLanes * s.step)
#pragma GCC unroll copies(16)
    for (int l = 0; l < kLanes; ++l)
#pragma GCC unroll copies(4)
      for (int v = 0; v < kVectors; ++v) {
        const F32 x = load(p + l * s.step + v * kWidth);
        if constexpr (kSquares) {
          const F32 d = x - mean[v];
          acc[l][v] = fma(d, d, acc[l][v]);
        } else {
          acc[l][v] = acc[l][v] + x;
        }
      }
#pragma GCC unroll copies(16)
  for (int l = 0; l < kLanes; ++l)
#pragma GCC unroll copies(4)
    for (int v = 0; v < kVectors; ++v) acc[l][v].store(sums + l * kStripWidth + v * kWidth);
}

// All lanes of this call for kVectors vectors from i on: as many lanes at once as fill the registers, and what is left of them, one
// by one.
template <bool kSquares, int kVectors, class Load> inline void add_vectors(const LaneSums& s, int64_t b, int64_t i, Load load) {
  constexpr int kLanes = kSumsAtOnce / kVectors;
  const auto turns_of = [&](int lane) {
    const int64_t left = s.end - b - lane;
    return left <= 0 ? 0 : left > (kTurns - 1) * kReductionLanes ? kTurns : (left + kReductionLanes - 1) / kReductionLanes;
  };
  int lane = s.first_lane;
  for (; lane + kLanes <= s.last_lane; lane += kLanes) {
    const int64_t turns = turns_of(lane + kLanes - 1);
    if (turns > 0) add_turns<kSquares, kLanes, kVectors>(s, b, lane, turns, i, load);
    for (int l = lane; l < lane + kLanes && turns_of(l) > turns; ++l)
      add_turns<kSquares, 1, kVectors>(s, b + turns * kReductionLanes, l, 1, i, load);
  }
  for (; lane < s.last_lane; ++lane) add_turns<kSquares, 1, kVectors>(s, b, lane, turns_of(lane), i, load);
}

template <bool kSquares> inline void add_to_lanes(const LaneSums& s) {
  const auto whole = [](const float* p) { return F32::load(p); };
  for (int64_t b = s.begin; b < s.end; b += kTurns * kReductionLanes) {
    int64_t i = 0;
    if constexpr (kVectorsInRegisters)
      for (; i + 2 * kWidth <= s.width; i += 2 * kWidth) add_vectors<kSquares, 2>(s, b, i, whole);
    for (; i + kWidth <= s.width; i += kWidth) add_vectors<kSquares, 1>(s, b, i, whole);
    const int lanes = static_cast<int>(s.width - i);
    if (lanes > 0) add_vectors<kSquares, 1>(s, b, i, [lanes](const float* p) { return F32::load_partial(p, lanes); });
  }
}
inline void run_lane_sums(const LaneSums& s) { s.mean ? add_to_lanes<true>(s) : add_to_lanes<false>(s); }

inline void run_close_block(float* sums, int64_t width, bool first_block, float* total) {
  for (int64_t i = 0; i < width; i += kWidth) {
    F32 t[kReductionLanes];
    for (int l = 0; l < kReductionLanes; ++l) t[l] = F32::load(sums + l * kStripWidth + i);
    for (int h = kReductionLanes / 2; h >= 1; h /= 2)
      for (int l = 0; l < h; ++l) t[l] = t[l] + t[l + h];
    (first_block ? t[0] : F32::load(total + i) + t[0]).store(total + i);
  }
}

inline void run_to_mean(float* total, int64_t width, int64_t count) {
  for (int64_t i = 0; i < width; i += kWidth) (F32::load(total + i) / F32::set(static_cast<float>(count))).store(total + i);
}
inline void run_to_rstd(float* total, int64_t width, int64_t count, float epsilon) {
  for (int64_t i = 0; i < width; i += kWidth) {
    const F32 variance = F32::load(total + i) / F32::set(static_cast<float>(count));
    (F32::set(1.f) / sqrt(variance + F32::set(epsilon))).store(total + i);
  }
}

inline void run_layer_norm_across(const LayerNormStrip& s) {
  for (int64_t r = 0; r < s.count; ++r) {
    const float* p = s.in + r * s.in_step;
    float* q = s.out + r * s.out_step;
    const F32 scale = F32::set(s.scale ? s.scale[r] : 1.f), bias = F32::set(s.bias ? s.bias[r] : 0.f);
    for (int64_t i = 0; i < s.width; i += kWidth) {
      const int lanes = static_cast<int>(s.width - i < kWidth ? s.width - i : kWidth);
      F32 y = lanes == kWidth ? F32::load(p + i) : F32::load_partial(p + i, lanes);
      y = (y - F32::load(s.mean + i)) * F32::load(s.rstd + i);
      if (s.scale && s.bias) y = fma(y, scale, bias);
      else if (s.scale) y = y * scale;
      else if (s.bias) y = y + bias;
      if (s.out_stride == 1) {
        store_lanes(q + i, y, lanes);
      } else {
        float t[kWidth];
        y.store(t);
        for (int k = 0; k < lanes; ++k) q[(i + k) * s.out_stride] = t[k];
      }
    }
  }
}

void softmax(const SoftmaxStrip& strip) noexcept { run_softmax(strip); }
void layer_norm(const LayerNormRow& row) noexcept { run_layer_norm(row); }
void layer_norm_across(const LayerNormStrip& strip) noexcept { run_layer_norm_across(strip); }
void lane_sums(const LaneSums& strip) noexcept { run_lane_sums(strip); }
void close_block(float* sums, int64_t width, bool first_block, float* total) noexcept { run_close_block(sums, width, first_block, total); }
void to_mean(float* total, int64_t width, int64_t count) noexcept { run_to_mean(total, width, count); }
void to_rstd(float* total, int64_t width, int64_t count, float epsilon) noexcept { run_to_rstd(total, width, count, epsilon); }

constexpr NormFunctions kNormFunctions = {softmax, layer_norm, layer_norm_across, lane_sums, close_block, to_mean, to_rstd};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
