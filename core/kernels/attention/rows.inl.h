// SPDX-License-Identifier: Apache-2.0
// Attention over a vector type F32: scores of some rows key panel by key panel, their softmax, and the sums of values. A tile is
// kAttentionRows rows times two vectors; its sums follow docs/numerics.md, section 1, each in registers.
#pragma once

#include <cstdint>

#include "core/kernels/attention/job.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/reduce/axes.h"
#include "core/kernels/reduce/lanes.inl.h"
#include "core/kernels/simd/few_forms.inl.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kPanel = 2 * kWidth;
static_assert(kReductionLanes % kPanel == 0, "panels begin where lanes do");
constexpr float kInfinity = __builtin_inff();

inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t greatest(int64_t a, int64_t b) { return a < b ? b : a; }

// acc[r] = fma(a[r][i], b[i], acc[r]) for i in order. If not `kWhole`, b's vectors have `last` elements, the last one not all.
template <int R, bool kWhole, int V>
inline __attribute__((always_inline)) void multiply(const float* const* a, const float* b, int64_t b_step, int64_t count, int last,
                                                    F32 (&acc)[R][V]) {
  static_assert(kWhole || V <= 3);
  for (int64_t i = 0; i < count; ++i, b += b_step) {
    F32 x[V];
    if constexpr (kWhole) {
#pragma GCC unroll copies(4)
      for (int h = 0; h < V; ++h) x[h] = F32::load(b + h * kWidth);
    } else {
      for (int h = 0; h + 1 < V; ++h) x[h] = F32::load(b + h * kWidth);
      x[V - 1] = F32::load_partial(b + (V - 1) * kWidth, last - (V - 1) * kWidth);
    }
#pragma GCC unroll copies(6)
    for (int r = 0; r < R; ++r) {
      const F32 w = F32::set(a[r][i]);
#pragma GCC unroll copies(4)
      for (int h = 0; h < V; ++h) acc[r][h] = fma(w, x[h], acc[r][h]);
    }
  }
}

template <int R, int V> inline __attribute__((always_inline)) void clear(F32 (&acc)[R][V]) {
#pragma GCC unroll copies(6)
  for (int r = 0; r < R; ++r)
#pragma GCC unroll copies(4)
    for (int h = 0; h < V; ++h) acc[r][h] = F32::zero();
}

template <int R, int V> inline __attribute__((always_inline)) void copy(const F32 (&from)[R][V], F32 (&to)[R][V]) {
#pragma GCC unroll copies(6)
  for (int r = 0; r < R; ++r)
#pragma GCC unroll copies(4)
    for (int h = 0; h < V; ++h) to[r][h] = from[r][h];
}

// Keys [t, t + kPanel) turned: element d of key t + i at panel + d * kPanel + i. Keys from `last` on are zeros.
inline void turn_keys(const AttentionJob& j, int64_t t) {
  for (int half = 0; half < 2; ++half) {
    const int64_t from = t + half * kWidth;
    float* const to = j.panel + half * kWidth;
    if (j.k_step == 1) {  // keys lie side by side, as a matrix to multiply with is often kept
      const int lanes = static_cast<int>(greatest(least(j.last - from, kWidth), 0));
      for (int64_t d = 0; d < j.size; ++d) {
        const float* const p = j.k + from + d * j.k_element;
        (lanes == kWidth ? F32::load(p) : lanes > 0 ? F32::load_partial(p, lanes) : F32::zero()).store(to + d * kPanel);
      }
      continue;
    }
    if (j.k_element != 1 || from >= j.last) {
      for (int64_t d = 0; d < j.size; ++d)
        for (int i = 0; i < kWidth; ++i) to[d * kPanel + i] = from + i < j.last ? j.k[(from + i) * j.k_step + d * j.k_element] : 0.f;
      continue;
    }
    for (int64_t d = 0; d < j.size; d += kWidth) {
      const int n = static_cast<int>(least(j.size - d, kWidth));
      F32 x[kWidth];
      for (int i = 0; i < kWidth; ++i) {
        const float* const p = j.k + (from + i) * j.k_step + d;
        x[i] = from + i >= j.last ? F32::zero() : n == kWidth ? F32::load(p) : F32::load_partial(p, n);
      }
      transpose(x);
      for (int i = 0; i < n; ++i) x[i].store(to + (d + i) * kPanel);
    }
  }
}

// The scores of one row and one vector of keys from t on, of which `lanes` are there.
inline F32 finished(const AttentionJob& j, int64_t r, int64_t t, int lanes, F32 x) {
  if (j.scale != 1.f) x = F32::set(j.scale) * x;
  if (j.softcap != 0.f) x = tanh(x / F32::set(j.softcap)) * F32::set(j.softcap);
  if (j.bias != nullptr) {
    const float* const b = j.bias + j.bias_row[r] + t * j.bias_key;
    if (j.bias_key == 1) __builtin_prefetch(b + kPanel);  // rows lie apart: no processor guesses the next one's place
    x = x + (j.bias_key == 0   ? F32::set(*b)
             : j.bias_key != 1 ? F32::load_strided(b, j.bias_key, lanes)
             : lanes == kWidth ? F32::load(b)
                               : F32::load_partial(b, lanes));
  }
  return x;
}

inline void store_scores_until(const AttentionJob& j, int64_t r, int64_t at, int64_t end, F32 sums) {
  const int lanes = static_cast<int>(least(end - at, kWidth));
  float* const to = j.scores + r * j.score_step + at - j.base;
  finished(j, r, at, lanes, sums).store(to);
  if (j.mask == nullptr) return;
  const uint8_t* const seen = j.mask + j.mask_row[r] + at * j.mask_key;
  for (int i = 0; i < lanes; ++i)
    if (seen[i * j.mask_key] == 0) to[i] = -kInfinity;
}

inline void store_scores(const AttentionJob& j, int64_t r, int64_t at, F32 sums) { store_scores_until(j, r, at, j.last, sums); }

// Nothing but a factor lies between sums and scores.
inline bool scaled_only(const AttentionJob& j) { return j.softcap == 0.f && j.bias == nullptr && j.mask == nullptr; }

// A function of its own: its pointers need most of the registers.
template <int R> __attribute__((noinline)) void score_tile(const AttentionJob& j, int64_t row, int64_t t, bool scaled) {
  F32 total[R][2];
  const float* a[R];
  for (int64_t d = 0; d < j.size || d == 0; d += kAttentionBlock) {
#pragma GCC unroll copies(6)
    for (int r = 0; r < R; ++r) a[r] = j.q + (row + r) * j.size + d;
    F32 acc[R][2];
    clear(acc);
    multiply<R, true>(a, j.panel + d * kPanel, kPanel, least(j.size - d, kAttentionBlock), kPanel, acc);
#pragma GCC unroll copies(6)
    for (int r = 0; r < R; ++r)
#pragma GCC unroll copies(2)
      for (int h = 0; h < 2; ++h) total[r][h] = d == 0 ? acc[r][h] : total[r][h] + acc[r][h];
  }
  if (scaled && t + kPanel <= j.last) {
    const F32 scale = F32::set(j.scale);
    float* to = j.scores + row * j.score_step + t - j.base;
#pragma GCC unroll copies(6)
    for (int r = 0; r < R; ++r, to += j.score_step)
#pragma GCC unroll copies(2)
      for (int h = 0; h < 2; ++h) (scale * total[r][h]).store(to + h * kWidth);
    return;
  }
  for (int r = 0; r < R; ++r)
    for (int h = 0; h < 2; ++h)
      if (t + h * kWidth < j.last) store_scores(j, row + r, t + h * kWidth, total[r][h]);
}

// Rows whose keys are turned and multiplied in registers: a panel in memory would be read by so few of them that storing it costs more.
// Their keys come from memory once and are all that bounds them, so later ones are fetched into the second cache.
constexpr int kRowsWithoutPanel = 3, kKeysAhead = 64;
inline bool without_panel(const AttentionJob& j) {
  return j.rows <= kRowsWithoutPanel && j.k_element == 1 && j.k_step != 1 && j.size > 0 && j.size % kWidth == 0;
}
template <int R> inline void score_few(const AttentionJob& j, int64_t t) {
  for (int64_t at = t; at < least(t + kPanel, j.last); at += kWidth) {
    const int64_t keys = least(j.last - at, kWidth);
    F32 total[R];
    for (int r = 0; r < R; ++r) total[r] = F32::zero();
    for (int64_t block = 0; block < j.size; block += kAttentionBlock) {
      F32 acc[R];
      for (int r = 0; r < R; ++r) acc[r] = F32::zero();
      for (int64_t d = block; d < least(block + kAttentionBlock, j.size); d += kWidth) {
        const float* const k = j.k + at * j.k_step + d;
        if (d % 16 == 0)  // a line
#pragma GCC unroll copies(16)
          for (int i = 0; i < kWidth; ++i) __builtin_prefetch(k + (i + kKeysAhead) * j.k_step, 0, 2);
        F32 x[kWidth];
#pragma GCC unroll copies(16)
        for (int i = 0; i < kWidth; ++i) x[i] = i < keys ? F32::load(k + i * j.k_step) : F32::zero();
        transpose(x);
#pragma GCC unroll copies(16)
        for (int i = 0; i < kWidth; ++i)
#pragma GCC unroll copies(3)
          for (int r = 0; r < R; ++r) acc[r] = fma(F32::set(j.q[r * j.size + d + i]), x[i], acc[r]);
      }
      for (int r = 0; r < R; ++r) total[r] = block == 0 ? acc[r] : total[r] + acc[r];
    }
    for (int r = 0; r < R; ++r) store_scores(j, r, at, total[r]);
  }
}

inline bool sees_any(const AttentionJob& j, int64_t r) {
  if (j.mask == nullptr) return j.begin[r] < j.end[r];
  const uint8_t* const seen = j.mask + j.mask_row[r];
  for (int64_t t = j.begin[r]; t < j.end[r]; ++t)
    if (seen[t * j.mask_key] != 0) return true;
  return false;
}

// The largest of n elements; NaN are left out, whatever subtracts the result from them finds them again.
inline F32 largest(const float* x, int64_t n) {
  F32 m = F32::set(-kInfinity);
  int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) m = pick_greater(F32::load(x + i), m);
  if (i < n) {
    const int lanes = static_cast<int>(n - i);
    m = pick_greater(select(F32::first_lanes(lanes), F32::load_partial(x + i, lanes), F32::set(-kInfinity)), m);
  }
  if constexpr (kWidth > 8) m = pick_greater(m, upper<8>(m));
  m = pick_greater(m, upper<4>(m));
  m = pick_greater(m, upper<2>(m));
  return F32::set(first(pick_greater(m, upper<1>(m))));
}

// Scores become weights; kScaled: sums become scores first, by a factor above 0. Lanes go by the keys' indices: keys before the first one
// that is seen count as weights of +0.
template <bool kScaled = false> inline void weigh(const AttentionJob& j, int64_t r) {
  float* const x = j.scores + r * j.score_step - j.base;  // by key
  const int64_t begin = j.begin[r], end = j.end[r], aligned = begin / kReductionLanes * kReductionLanes;
  const F32 factor = F32::set(j.scale);
  const auto score = [&](const float* at) { return kScaled ? factor * F32::load(at) : F32::load(at); };
  F32 m = largest(x + begin, end - begin);
  if (kScaled) m = factor * m;
  if (j.sink != nullptr) m = pick_greater(F32::set(j.sink[r]), m);
  for (int64_t t = aligned; t < begin; ++t) x[t] = -kInfinity;
  F32 total = F32::zero();
  for (int64_t b = begin / kLaneBlock * kLaneBlock; b < end; b += kLaneBlock) {
    F32 acc[kLaneVectors];
    for (int i = 0; i < kLaneVectors; ++i) acc[i] = F32::zero();
    const int64_t stop = least(end, b + kLaneBlock);
    int64_t t = greatest(b, aligned);
    for (; t + kReductionLanes <= stop; t += kReductionLanes)
#pragma GCC unroll copies(8)
      for (int i = 0; i < kLaneVectors; ++i) {
        const F32 e = exp_of_small_or_zero(score(x + t + i * kWidth) - m);
        e.store(x + t + i * kWidth);
        acc[i] = acc[i] + e;
      }
    for (; t < stop; t += kReductionLanes)
      for (int i = 0; i < kLaneVectors && t + i * kWidth < stop; ++i) {
        const int64_t at = t + i * kWidth;
        const int lanes = static_cast<int>(least(stop - at, kWidth));
        const F32 e = exp_of_small_or_zero(score(x + at) - m);  // the row has room for whole vectors
        e.store(x + at);
        acc[i] = lanes == kWidth ? acc[i] + e : select(F32::first_lanes(lanes), acc[i] + e, acc[i]);
      }
    total = total + lane_tree(acc, [](F32 p, F32 q) { return p + q; });
  }
  if (j.sink != nullptr) total = total + exp_of_small_or_zero(F32::set(j.sink[r]) - m);
  const F32 scale = F32::set(1.f) / F32::set(first(total));
  for (int64_t t = aligned; t < end; t += kWidth) (F32::load(x + t) * scale).store(x + t);
}

// The sums of values of R rows: each block of keys is cut into what all of the rows see and what only some do.
template <int R, bool kWhole, int V = 2> inline void value_columns(const AttentionJob& j, const int64_t* rows, int64_t column, int last) {
  int64_t low = 0, high = INT64_MAX, least_begin = INT64_MAX, most_end = 0;
  const float* p[R];
  for (int r = 0; r < R; ++r) {
    low = greatest(low, j.begin[rows[r]]);
    high = least(high, j.end[rows[r]]);
    least_begin = least(least_begin, j.begin[rows[r]]);
    most_end = greatest(most_end, j.end[rows[r]]);
    p[r] = j.scores + rows[r] * j.score_step - j.base;
  }
  high = greatest(low, high);
  const float* const v = j.v + column * j.v_element;
  F32 total[R][V];
  clear(total);
  bool started[R] = {};
  for (int64_t b = least_begin / kAttentionBlock * kAttentionBlock; b < most_end; b += kAttentionBlock) {
    const int64_t stop = b + kAttentionBlock;
    F32 acc[R][V];
    clear(acc);
    const auto alone = [&](int r, int64_t from, int64_t to) {
      if (from >= to) return;
      F32 one[1][V];
      for (int h = 0; h < V; ++h) one[0][h] = acc[r][h];
      const float* const a[1] = {p[r] + from};
      multiply<1, kWhole>(a, v + from * j.v_step, j.v_step, to - from, last, one);
      for (int h = 0; h < V; ++h) acc[r][h] = one[0][h];
    };
    for (int r = 0; r < R && low > b; ++r) alone(r, greatest(b, j.begin[rows[r]]), least(least(stop, low), j.end[rows[r]]));
    if (const int64_t from = greatest(b, low), to = least(stop, high); from < to) {
      const float* a[R];
      F32 sums[R][V];  // of their own: what `alone` reaches by a number of a row would be stored at each key
      copy(acc, sums);
#pragma GCC unroll copies(6)
      for (int r = 0; r < R; ++r) a[r] = p[r] + from;
      multiply<R, kWhole>(a, v + from * j.v_step, j.v_step, to - from, last, sums);
      copy(sums, acc);
    }
    for (int r = 0; r < R && high < stop; ++r) alone(r, greatest(greatest(b, high), j.begin[rows[r]]), least(stop, j.end[rows[r]]));
    for (int r = 0; r < R; ++r) {
      if (greatest(b, j.begin[rows[r]]) >= least(stop, j.end[rows[r]])) continue;
      for (int h = 0; h < V; ++h) total[r][h] = started[r] ? total[r][h] + acc[r][h] : acc[r][h];
      started[r] = true;
    }
  }
  for (int r = 0; r < R; ++r) {
    float* const y = j.y[rows[r]] + column;
    for (int h = 0; h + 1 < V; ++h) total[r][h].store(y + h * kWidth);
    if constexpr (kWhole) total[r][V - 1].store(y + (V - 1) * kWidth);
    else total[r][V - 1].store_partial(y + (V - 1) * kWidth, last - (V - 1) * kWidth);
  }
}

template <int R> inline void value_tile(const AttentionJob& j, const int64_t* rows) {
  int64_t c = 0;
  // Values that lie apart, as a caller's may, go one by one.
  if (j.v_element != 1) {
    for (; c < j.value_size; ++c) value_columns<R, false, 1>(j, rows, c, 1);
    return;
  }
  // Of one row, sums of four vectors: two would wait for each other, and each key's values are read in one piece.
  if constexpr (R == 1)
    for (; c + 2 * kPanel <= j.value_size; c += 2 * kPanel) value_columns<1, true, 4>(j, rows, c, 2 * kPanel);
  // The last sums are of three vectors where there are registers for them: those of one alone would wait for each other.
  constexpr bool kThree = kWidth == 16;
  while (j.value_size - c == kPanel || j.value_size - c > (kThree ? 3 * kWidth : kPanel)) {
    value_columns<R, true>(j, rows, c, kPanel);
    c += kPanel;
  }
  const int last = static_cast<int>(j.value_size - c);
  if constexpr (kThree)
    if (last > kPanel) return value_columns<R, false, 3>(j, rows, c, last);
  if (last > kWidth) value_columns<R, false>(j, rows, c, last);
  else if (last > 0) value_columns<R, false, 1>(j, rows, c, last);
}

// f<R>() for a number of rows from 1 to kAttentionRows that there is code for.
template <class F> inline void with_rows(int64_t rows, const F& f) {
  switch (rows) {
    case 1: return f.template operator()<1>();
    case 2: return f.template operator()<2>();
    case 3:
      if constexpr (has_form(3, kAttentionRows)) return f.template operator()<3>();
      [[fallthrough]];
    case 4: return f.template operator()<4>();
    case 5:
      if constexpr (has_form(5, kAttentionRows)) return f.template operator()<5>();
      [[fallthrough]];
    default: return f.template operator()<6>();
  }
}

inline void run_attention(const AttentionJob& j) {
  const bool few = without_panel(j), scaled = scaled_only(j);
  for (int64_t t = j.first - (j.first - j.shift) % kPanel; t < j.last; t += kPanel) {
    if (few) {
      if (j.rows == 1) score_few<1>(j, t);
      else if (j.rows == 2) score_few<2>(j, t);
      else score_few<3>(j, t);
      continue;
    }
    turn_keys(j, t);
    for (int64_t r = 0, n; r < j.rows; r += n) {
      n = rows_at_once(j.rows - r, kAttentionRows);
      with_rows(n, [&]<int R>() { score_tile<R>(j, r, t, scaled); });
    }
  }
  int64_t rows[kAttentionRows], count = 0;
  const auto flush = [&] {
    for (int64_t r = 0, n; r < count; r += n) {
      n = rows_at_once(count - r, kAttentionRows);
      with_rows(n, [&]<int R>() { value_tile<R>(j, rows + r); });
    }
    count = 0;
  };
  for (int64_t r = 0; r < j.rows; ++r) {
    if (!sees_any(j, r)) {
      for (int64_t c = 0; c < j.value_size; ++c) j.y[r][c] = 0.f;
      continue;
    }
    weigh(j, r);
    rows[count++] = r;
    if (count == kAttentionRows) flush();
  }
  flush();
}

void run(const AttentionJob& job) noexcept { run_attention(job); }

void weigh_sums(const AttentionJob& j, bool* sees) noexcept {
  const auto clear_keys = [&](int64_t r, int64_t from, int64_t to) {
    for (int64_t t = from; t < to; ++t) j.scores[r * j.score_step + t - j.base] = 0.f;
  };
  const bool scaled = scaled_only(j) && j.scale > 0.f;
  for (int64_t r = 0; r < j.rows; ++r) {
    sees[r] = sees_any(j, r);
    if (!sees[r]) {
      clear_keys(r, j.first, j.last);
      continue;
    }
    if (!scaled)
      for (int64_t t = j.begin[r]; t < j.end[r]; t += kWidth)
        store_scores_until(j, r, t, j.end[r], F32::load(j.scores + r * j.score_step + t - j.base));
    scaled ? weigh<true>(j, r) : weigh(j, r);
    clear_keys(r, j.first, j.begin[r]);
    clear_keys(r, j.end[r], j.last);
  }
}

// A sum of x - x is 0 or NaN. (Infinities are counted in: who asks looks closer then.)
bool has_nan(const float* x, int64_t n) noexcept {
  F32 sum = F32::zero();
  int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) sum = sum + (F32::load(x + i) - F32::load(x + i));
  float rest = 0.f, lanes[kWidth];
  for (; i < n; ++i) rest += x[i] - x[i];
  sum.store(lanes);
  for (int j = 0; j < kWidth; ++j) rest += lanes[j];
  return rest != rest;
}

constexpr AttentionFunctions kAttentionFunctions = {kPanel, run, weigh_sums, has_nan};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
