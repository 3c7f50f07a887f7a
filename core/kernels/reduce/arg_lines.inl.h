// SPDX-License-Identifier: Apache-2.0
// The place of the largest or smallest element. A contiguous line is searched by blocks: which block has the best value, then where in that
// block. Where outputs lie side by side, vectors run across them and carry value and place. Everything seeks the greatest; for the smallest
// f32 are negated, which keeps NaN and the equality of zeros.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/kernels/eltwise/doubles.inl.h"
#include "core/kernels/reduce/arg_lines.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kWidth = F32::kWidth;

// True if x takes the place of `best`, which came before it. NaN beats every number.
template <class T, bool kMax, bool kLast> inline bool takes(T x, T best) {
  const bool ahead = kMax ? (kLast ? x >= best : x > best) : (kLast ? x <= best : x < best);
  if constexpr (std::is_floating_point_v<T>) {
    const bool x_nan = x != x, best_nan = best != best;
    return kLast ? ahead | x_nan : ahead | (x_nan & !best_nan);
  }
  return ahead;
}

// Any step, element by element.
template <class T, bool kMax, bool kLast> inline int64_t place_strided(const T* x, int64_t n, int64_t step) {
  T best = x[0];
  int64_t place = 0;
  for (int64_t i = 1; i < n; ++i) {
    const T v = x[i * step];
    if (!takes<T, kMax, kLast>(v, best)) continue;
    best = v;
    place = i;
  }
  return place;
}

// Integers in a contiguous line: the best of a block is a loop without memory, which compilers turn into vectors.
template <class T, bool kMax, bool kLast> inline int64_t place_in_line(const T* x, int64_t n) {
  constexpr int64_t kBlock = 128;
  int64_t block = 0;
  T best{};
  for (int64_t b = 0; b < n; b += kBlock) {
    const int64_t end = n - b < kBlock ? n : b + kBlock;
    T m = x[b];
    for (int64_t i = b + 1; i < end; ++i) m = kMax ? (x[i] > m ? x[i] : m) : (x[i] < m ? x[i] : m);
    if (b > 0 && !takes<T, kMax, kLast>(m, best)) continue;
    best = m;
    block = b;
  }
  int64_t i = block;
  if constexpr (kLast) {
    i = n - block < kBlock ? n - 1 : block + kBlock - 1;
    while (x[i] != best) --i;
  } else {
    while (x[i] != best) ++i;
  }
  return i;
}

// Outputs side by side, some at a time, in arrays that stay in L1.
template <class T, bool kMax, bool kLast> inline void places_across(const ArgStrip& s) {
  using Place = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  constexpr int kStrip = 64;
  T best[kStrip];
  Place place[kStrip];
  for (int64_t i = 0; i < s.width; i += kStrip) {
    const int n = static_cast<int>(s.width - i < kStrip ? s.width - i : kStrip);
    const T* x = static_cast<const T*>(s.in) + i;
    for (int k = 0; k < n; ++k) {
      best[k] = x[k];
      place[k] = 0;
    }
    for (int64_t r = 1; r < s.count; ++r) {
      x += s.step;
      const auto here = static_cast<Place>(r);
      for (int k = 0; k < n; ++k) {
        const T v = x[k];
        const bool take = takes<T, kMax, kLast>(v, best[k]);
        best[k] = take ? v : best[k];
        place[k] = take ? here : place[k];
      }
    }
    for (int k = 0; k < n; ++k) s.out[(i + k) * s.out_stride] = place[k];
  }
}

// The lanes of x that count: all but the last vector's missing ones, which lose against everything.
inline F32 lowest() { return F32::set(-__builtin_inff()); }
template <bool kMax> inline F32 load_line(const float* x, int64_t left) {
  F32 v = left >= kWidth ? F32::load(x) : F32::load_partial(x, static_cast<int>(left));
  if constexpr (!kMax) v = neg(v);
  return left >= kWidth ? v : select(F32::first_lanes(static_cast<int>(left)), v, lowest());
}

// f32 in a contiguous line.
template <bool kMax, bool kLast> inline int64_t place_in_line_f32(const float* x, int64_t n) {
  constexpr int64_t kBlock = 1024;
  constexpr int kChains = 4;
  int64_t block = 0;
  float best = -__builtin_inff();
  bool nan = false;
  for (int64_t b = 0; b < n; b += kBlock) {
    const int64_t end = n - b < kBlock ? n : b + kBlock;
    F32 m[kChains];
    for (F32& v : m) v = lowest();
    F32::Mask unordered = is_nan(m[0]);
    int64_t i = b;
    for (; i + kChains * kWidth <= end; i += kChains * kWidth)
      for (int c = 0; c < kChains; ++c) {
        const F32 v = load_line<kMax>(x + i + c * kWidth, kWidth);
        m[c] = pick_greater(v, m[c]);  // NaN is left out
        unordered = unordered | is_nan(v);
      }
    for (; i < end; i += kWidth) {
      const F32 v = load_line<kMax>(x + i, end - i);
      m[0] = pick_greater(v, m[0]);
      unordered = unordered | is_nan(v);
    }
    F32 t = pick_greater(pick_greater(m[0], m[1]), pick_greater(m[2], m[3]));
    if constexpr (kWidth > 8) t = pick_greater(upper<8>(t), t);
    t = pick_greater(upper<4>(t), t);
    t = pick_greater(upper<2>(t), t);
    t = pick_greater(upper<1>(t), t);
    const float value = first(t);
    const bool block_nan = any(unordered);
    if (block_nan || (!nan && (kLast ? value >= best : value > best))) {
      best = value;
      nan = block_nan;
      block = b;
      if (nan && !kLast) break;
    }
  }
  // Where in the block, 64 elements at a time.
  const int64_t end = n - block < kBlock ? n : block + kBlock;
  const F32 sought = F32::set(best);
  const auto hits = [&](int64_t from) {
    uint64_t bits = 0;
    const int64_t left = end - from < 64 ? end - from : 64;
    for (int64_t k = 0; k < left; k += kWidth) {
      const F32 v = load_line<kMax>(x + from + k, left - k);
      uint64_t found = mask_bits(nan ? is_nan(v) : v == sought);
      if (left - k < kWidth) found &= (uint64_t{1} << (left - k)) - 1;
      bits |= found << k;
    }
    return bits;
  };
  if constexpr (kLast) {
    for (int64_t from = block + (end - block - 1) / 64 * 64;; from -= 64)
      if (const uint64_t bits = hits(from)) return from + 63 - __builtin_clzll(bits);
  } else {
    for (int64_t from = block;; from += 64)
      if (const uint64_t bits = hits(from)) return from + __builtin_ctzll(bits);
  }
}

// f64 in a contiguous line, the first of equal ones.
template <bool kMax> inline int64_t place_in_line_f64(const double* x, int64_t n) {
  constexpr int64_t kBlock = 256;
  constexpr int W = kDoubles, kChains = 4;
  int64_t block = 0;
  double best = 0.0;
  for (int64_t b = 0; b < n; b += kBlock) {
    const int64_t end = n - b < kBlock ? n : b + kBlock;
    Doubles<W> m[kChains];
    DoubleBits<W> unordered{};
    for (Doubles<W>& v : m) v = Doubles<W>{} + (kMax ? -__builtin_inf() : __builtin_inf());
    int64_t i = b;
    for (; i + kChains * W <= end; i += kChains * W)
#pragma GCC unroll copies(4)
      for (int c = 0; c < kChains; ++c) {
        const Doubles<W> v = load_doubles<W>(x + i + c * W);
        m[c] = chosen<W>(kMax ? v > m[c] : v < m[c], v, m[c]);  // NaN is left out
        unordered |= v != v;
      }
    double value = kMax ? -__builtin_inf() : __builtin_inf();
    bool nan = false;
    for (int c = 0; c < kChains; ++c)
      for (int k = 0; k < W; ++k) {
        value = (kMax ? m[c][k] > value : m[c][k] < value) ? m[c][k] : value;
        nan |= unordered[k] != 0;
      }
    for (; i < end; ++i) {
      value = (kMax ? x[i] > value : x[i] < value) ? x[i] : value;
      nan |= x[i] != x[i];
    }
    if (nan) {
      while (x[b] == x[b]) ++b;
      return b;
    }
    if (b > 0 && !(kMax ? value > best : value < best)) continue;
    best = value;
    block = b;
  }
  while (x[block] != best) ++block;
  return block;
}

// N vectors of f32 outputs side by side, the last of `lanes` elements.
template <int N, bool kMax, bool kLast> inline void places_across_f32(const ArgStrip& s, int64_t i, int lanes) {
  const float* x = static_cast<const float*>(s.in) + i;
  const auto load = [&](int j) { return load_line<kMax>(x + j * kWidth, j == N - 1 ? lanes : kWidth); };
  F32 best[N], place[N];  // places are integers in the bits
  for (int j = 0; j < N; ++j) {
    best[j] = load(j);
    place[j] = F32::zero();
  }
  for (int64_t r = 1; r < s.count; ++r) {
    x += s.step;
    const F32 here = from_bits(set_int(F32{}, static_cast<int32_t>(r)));
#pragma GCC unroll copies(8)
    for (int j = 0; j < N; ++j) {
      const F32 v = load(j);
      F32::Mask take;
      if constexpr (kLast) take = is_nan(v) | !((v < best[j]) | is_nan(best[j]));
      else take = !((v <= best[j]) | is_nan(best[j]));
      best[j] = select(take, v, best[j]);
      place[j] = select(take, here, place[j]);
    }
  }
  for (int j = 0; j < N; ++j) {
    float t[kWidth];
    place[j].store(t);
    int64_t* out = s.out + (i + j * kWidth) * s.out_stride;
    if (s.out_stride == 1 && (j < N - 1 || lanes == kWidth))
      for (int k = 0; k < kWidth; ++k) out[k] = __builtin_bit_cast(int32_t, t[k]);
    else
      for (int k = 0; k < (j == N - 1 ? lanes : kWidth); ++k) out[k * s.out_stride] = __builtin_bit_cast(int32_t, t[k]);
  }
}

template <class T, bool kMax, bool kLast> inline void arg_lines(const ArgStrip& s) {
  const T* x = static_cast<const T*>(s.in);
  if (s.step == 1) {
    for (int64_t i = 0; i < s.width; ++i) {
      const T* line = x + i * s.in_stride;
      if constexpr (std::is_same_v<T, float>) s.out[i * s.out_stride] = place_in_line_f32<kMax, kLast>(line, s.count);
      else if constexpr (std::is_same_v<T, double>) s.out[i * s.out_stride] = place_in_line_f64<kMax>(line, s.count);
      else s.out[i * s.out_stride] = place_in_line<T, kMax, kLast>(line, s.count);
    }
  } else if (s.in_stride == 1) {
    if constexpr (std::is_same_v<T, float>) {
      constexpr int kVectors = 4;
      int64_t i = 0;
      for (; i + kVectors * kWidth <= s.width; i += kVectors * kWidth) places_across_f32<kVectors, kMax, kLast>(s, i, kWidth);
      for (; i < s.width; i += kWidth)
        places_across_f32<1, kMax, kLast>(s, i, static_cast<int>(s.width - i < kWidth ? s.width - i : kWidth));
    } else {
      places_across<T, kMax, kLast>(s);
    }
  } else {
    for (int64_t i = 0; i < s.width; ++i) s.out[i * s.out_stride] = place_strided<T, kMax, kLast>(x + i * s.in_stride, s.count, s.step);
  }
}

template <class T> inline void arg_lines_of(const ArgStrip& s) {
  if (s.max) return s.last ? arg_lines<T, true, true>(s) : arg_lines<T, true, false>(s);
  return s.last ? arg_lines<T, false, true>(s) : arg_lines<T, false, false>(s);
}

inline void arg_strip(const ArgStrip& s) {
  switch (s.dtype) {
    case DType::f32: return arg_lines_of<float>(s);
    case DType::u8: return arg_lines_of<uint8_t>(s);
    case DType::i32: return arg_lines_of<int32_t>(s);
    case DType::i64: return arg_lines_of<int64_t>(s);
    case DType::f64: return s.max ? arg_lines<double, true, false>(s) : arg_lines<double, false, false>(s);
    default: return;  // refused by supports()
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
