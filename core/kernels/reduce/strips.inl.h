// SPDX-License-Identifier: Apache-2.0
// Reductions over a vector type F32. Vectors run over the kept axis where they can (a chain per channel of a channels-last tensor); a
// contiguous last axis is reduced row by row.
#pragma once

#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/reduce/lanes.inl.h"
#include "core/kernels/reduce/strips.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kReduceVectors = 4;  // vectors of outputs at a time: enough chains to hide an addition's latency

inline F32 finish(ReduceKind kind, F32 total, int64_t count) {
  switch (kind) {
    case ReduceKind::mean: return total / F32::set(static_cast<float>(count));
    case ReduceKind::l2: return sqrt(total);
    case ReduceKind::log_sum:
    case ReduceKind::log_sum_exp: return log(total);
    default: return total;
  }
}

// Calls f(start, step, combine) for the element step of a kind. `shift` is log_sum_exp's maximum.
template <class F> inline void with_step(ReduceKind kind, F32 (&shift)[kReduceVectors], F f) {
  const auto plus = [](F32 a, F32 b) { return a + b; };
  switch (kind) {
    case ReduceKind::sum:
    case ReduceKind::mean:
    case ReduceKind::log_sum:
      return f(
          0.f, [](F32 acc, F32 x, int) { return acc + x; }, plus);
    case ReduceKind::sum_square:
    case ReduceKind::l2:
      return f(
          0.f, [](F32 acc, F32 x, int) { return fma(x, x, acc); }, plus);
    case ReduceKind::l1:
      return f(
          0.f, [](F32 acc, F32 x, int) { return acc + abs(x); }, plus);
    case ReduceKind::prod:
      return f(
          1.f, [](F32 acc, F32 x, int) { return acc * x; }, [](F32 a, F32 b) { return a * b; });
    case ReduceKind::log_sum_exp:
      return f(
          0.f, [&](F32 acc, F32 x, int j) { return acc + exp(x - shift[j]); }, plus);
    case ReduceKind::max:
      return f(
          -__builtin_inff(), [](F32 acc, F32 x, int) { return max(acc, x); }, [](F32 a, F32 b) { return max(a, b); });
    case ReduceKind::min:
      return f(
          __builtin_inff(), [](F32 acc, F32 x, int) { return min(acc, x); }, [](F32 a, F32 b) { return min(a, b); });
  }
}

// m, or 0 where m is infinite.
inline F32 finite_or_zero(F32 m) { return select(abs(m) == F32::set(__builtin_inff()), F32::zero(), m); }

// N vectors of outputs.
template <int N, class Load> inline void reduce_across(const ReduceStrip& s, Load load, F32* total) {
  F32 shift[kReduceVectors];
  const auto pass = [&](ReduceKind kind) {
    with_step(kind, shift, [&](float start, auto step, auto combine) {
      if (s.lanes) {
        for (int j = 0; j < N; ++j)
          reduce_lanes_across(
              *s.axes, start, [&](int64_t at) { return load(at, j); }, [&](F32 acc, F32 x, int64_t) { return step(acc, x, j); }, combine,
              total + j);
      } else {
        reduce_chain<N>(
            *s.axes, start, load, [&](F32 acc, F32 x, int64_t, int j) { return step(acc, x, j); }, combine, total);
      }
    });
  };
  if (s.kind == ReduceKind::log_sum_exp) {
    pass(ReduceKind::max);
    for (int j = 0; j < N; ++j) shift[j] = finite_or_zero(total[j]);
  }
  pass(s.kind);
  for (int j = 0; j < N; ++j) {
    total[j] = finish(s.kind, total[j], s.axes->count);
    if (s.kind == ReduceKind::log_sum_exp) total[j] = total[j] + shift[j];
  }
}

inline float reduce_row(const ReduceStrip& s, const float* x) {
  const int64_t n = s.axes->count;
  F32 shift[kReduceVectors];
  float total = 0.f;
  const auto pass = [&](ReduceKind kind) {
    with_step(kind, shift, [&](float start, auto step, auto combine) {
      total = reduce_lanes(
          x, n, start, [&](F32 acc, F32 v, int64_t, int) { return step(acc, v, 0); }, combine);
    });
  };
  if (s.kind == ReduceKind::log_sum_exp) {
    pass(ReduceKind::max);
    shift[0] = finite_or_zero(F32::set(total));
  }
  pass(s.kind);
  F32 y = finish(s.kind, F32::set(total), n);
  if (s.kind == ReduceKind::log_sum_exp) y = y + shift[0];
  return first(y);
}

// The chain rule over contiguous elements: blocks are chains of their own, so a vector takes as many of them as it has lanes.
constexpr int64_t kChainVector = kWidth * kChainBlock;

// Columns side by side whose positions follow one another downwards, then column by column: channels-last data that is reduced
// over channels and plane. A lane takes a column; its blocks begin where it says, and one that a column does not finish goes
// on in the next, after all columns of the vector came to their ends.
constexpr int64_t kColumnBlocks = 8192;  // floats on the stack: values of the blocks of a vector of columns

inline bool goes_by_columns(const ReducedAxes& axes) {
  return axes.rank == 2 && axes.in_strides[0] == 1 && axes.dims[0] >= kWidth / 2 && axes.dims[1] >= kChainBlock &&
         kWidth * (axes.dims[1] / kChainBlock + 2) <= kColumnBlocks;
}

template <class Step, class Add>
inline void reduce_chain_columns(const ReducedAxes& axes, const float* x, float start, Step step, Add add) {
  const int64_t columns = axes.dims[0], rows = axes.dims[1], stride = axes.in_strides[1];
  float blocks[kColumnBlocks], memory[kWidth + 1];
  float carry = start;  // the chain of a block that the columns before began
  for (int64_t c = 0; c < columns; c += kWidth) {
    const int lanes = static_cast<int>(columns - c < kWidth ? columns - c : kWidth);
    const auto load = [&](int64_t row) {
      const float* p = x + c + row * stride;
      return lanes == kWidth ? F32::load(p) : F32::load_partial(p, lanes);
    };
    const int64_t base = c == 0 ? 0 : (c * rows - 1) / kChainBlock;  // the block of `carry`
    int64_t begin[kWidth], block[kWidth];  // of each column: the row and number of the first block that begins in it
    int order[kWidth];                     // columns by `begin`
    for (int l = 0; l < lanes; ++l) {
      const int64_t at = (c + l) * rows, next = (at + kChainBlock - 1) / kChainBlock;
      begin[l] = next * kChainBlock - at;
      block[l] = next - base;
      int k = l;
      for (; k > 0 && begin[order[k - 1]] > begin[l]; --k) order[k] = order[k - 1];
      order[k] = l;
    }
    F32 acc = F32::set(start);
    int64_t row = 0;
    for (int64_t round = 0; row < rows; ++round)
      for (int k = 0; k <= lanes && row < rows; ++k) {
        const int l = k < lanes ? order[k] : 0;
        const int64_t at = k < lanes ? begin[l] + round * kChainBlock : (round + 1) * kChainBlock;
        for (const int64_t stop = at < rows ? at : rows; row < stop; ++row) acc = step(acc, load(row), 0);
        if (at >= rows || k == lanes) continue;
        if (round > 0) {
          acc.store(memory);
          blocks[block[l] + round - 1] = memory[l];
        }
        acc = select(F32::first_lanes(l + 1) & !F32::first_lanes(l), F32::set(start), acc);
      }
    // What the columns before left is finished by the rows above `begin`.
    memory[0] = carry;
    acc.store(memory + 1);
    carry = memory[lanes];
    float limit[kWidth] = {};
    int64_t most = 0;
    for (int l = 0; l < lanes; ++l) {
      limit[l] = static_cast<float>(begin[l]);
      most = most < begin[l] ? begin[l] : most;
    }
    acc = F32::load(memory);
    for (row = 0; row < most; ++row) acc = select(F32::set(static_cast<float>(row)) < F32::load(limit), step(acc, load(row), 0), acc);
    acc.store(memory);
    for (int l = c == 0; l < lanes; ++l) blocks[block[l] - 1] = memory[l];
    const int64_t end = ((c + lanes) * rows - 1) / kChainBlock;
    for (int64_t b = base; b < end; ++b) add(b, blocks[b - base]);
  }
  add((axes.count - 1) / kChainBlock, carry);
}

inline float reduce_chain_row(const ReduceStrip& s, const float* x) {
  const int64_t n = s.axes->count;
  const bool by_columns = s.axes->rank > 1;
  F32 shift[kReduceVectors];
  shift[0] = F32::zero();
  float total = 0.f;
  const auto pass = [&](ReduceKind kind) {
    with_step(kind, shift, [&](float start, auto step, auto combine) {
      const auto add = [&](int64_t block, float value) { total = block == 0 ? value : first(combine(F32::set(total), F32::set(value))); };
      if (by_columns) return reduce_chain_columns(*s.axes, x, start, step, add);
      int64_t b = 0;
      for (; b + kChainVector <= n; b += kChainVector) {
        F32 acc = F32::set(start), t[kWidth];
        for (int64_t c = 0; c < kChainBlock; c += kWidth) {
#pragma GCC unroll copies(16)
          for (int k = 0; k < kWidth; ++k) t[k] = F32::load(x + b + k * kChainBlock + c);
          transpose(t);
#pragma GCC unroll copies(16)
          for (int k = 0; k < kWidth; ++k) acc = step(acc, t[k], 0);
        }
        float sums[kWidth];
        acc.store(sums);
        for (int k = 0; k < kWidth; ++k) add(b + k, sums[k]);
      }
      for (; b < n; b += kChainBlock) {
        F32 acc = F32::set(start);
        for (int64_t i = b; i < n && i < b + kChainBlock; ++i) acc = step(acc, F32::set(x[i]), 0);
        add(b, first(acc));
      }
    });
  };
  if (s.kind == ReduceKind::log_sum_exp) {
    pass(ReduceKind::max);
    shift[0] = finite_or_zero(F32::set(total));
  }
  pass(s.kind);
  F32 y = finish(s.kind, F32::set(total), n);
  if (s.kind == ReduceKind::log_sum_exp) y = y + shift[0];
  return first(y);
}

// Rows of up to as many elements as there are lanes, as many rows at a time as a vector has: turned, a vector of each element's values.
// The lanes without an element hold what a lane begins with, which changes nothing twice.
inline F32 reduce_short_rows(const ReduceStrip& s, const float* x) {
  const int n = static_cast<int>(s.axes->count);
  F32 t[kReductionLanes], shift[kReduceVectors], total = F32::zero();
  shift[0] = total;
  for (int c = 0; c < n; c += kWidth) {
    F32 part[kWidth];
    const int left = n - c;
#pragma GCC unroll copies(16)
    for (int k = 0; k < kWidth; ++k)
      part[k] = left < kWidth ? F32::load_partial(x + k * s.in_stride + c, left) : F32::load(x + k * s.in_stride + c);
    transpose(part);
#pragma GCC unroll copies(16)
    for (int k = 0; k < kWidth; ++k) t[c + k] = part[k];
  }
  const auto pass = [&](ReduceKind kind) {
    with_step(kind, shift, [&](float start, auto step, auto combine) {
      F32 lane[kReductionLanes];
      int width = 1;
      for (; width < n; width *= 2) {
      }
#pragma GCC unroll 1
      for (int i = 0; i < width; ++i) {
        lane[i] = F32::set(start);
        if (i < n) lane[i] = step(lane[i], t[i], 0);
        lane[i] = combine(lane[i], F32::set(start));
      }
      for (int h = width / 2; h >= 1; h /= 2)
#pragma GCC unroll 1
        for (int i = 0; i < h; ++i) lane[i] = combine(lane[i], lane[i + h]);
      total = lane[0];
    });
  };
  if (s.kind == ReduceKind::log_sum_exp) {
    pass(ReduceKind::max);
    shift[0] = finite_or_zero(total);
  }
  pass(s.kind);
  const F32 y = finish(s.kind, total, n);
  return s.kind == ReduceKind::log_sum_exp ? y + shift[0] : y;
}

// The chain rule over runs of contiguous elements (planes of channels-first data, over a batch perhaps), as many outputs as a vector has
// lanes: their elements are turned, so that a vector has one of each output.
inline bool goes_by_runs(const ReducedAxes& axes) {
  return axes.count > 0 && axes.in_strides[axes.rank - 1] == 1 && axes.dims[axes.rank - 1] >= kWidth;
}
// The chain rule over blocks that `fill(block, t)` lays out, a vector for each position; it returns how many there are. Once for all
// kinds, whose steps alone are many: the code is small, and a block lies in L1.
template <class Fill> inline F32 reduce_filled_blocks(const ReduceStrip& s, int64_t blocks, Fill fill) {
  F32 shift[kReduceVectors], total = F32::zero(), t[kChainBlock + kWidth];
  shift[0] = total;
  const auto pass = [&](ReduceKind kind) {
    for (int64_t b = 0; b < blocks; ++b) {
      const int64_t n = fill(b, t);
      with_step(kind, shift, [&](float start, auto step, auto combine) {
        F32 acc = F32::set(start);
#pragma GCC unroll copies(4)
        for (int64_t k = 0; k < n; ++k) acc = step(acc, t[k], 0);
        total = b == 0 ? acc : combine(total, acc);
      });
    }
  };
  if (s.kind == ReduceKind::log_sum_exp) {
    pass(ReduceKind::max);
    shift[0] = finite_or_zero(total);
  }
  pass(s.kind);
  const F32 y = finish(s.kind, total, s.axes->count);
  return s.kind == ReduceKind::log_sum_exp ? y + shift[0] : y;
}
__attribute__((noinline)) F32 reduce_chain_runs(const ReduceStrip& s, const float* x, int lanes) {
  ReducedCursor cursor{*s.axes};
  return reduce_filled_blocks(s, (s.axes->count + kChainBlock - 1) / kChainBlock, [&](int64_t block, F32* t) {
    const int64_t left = s.axes->count - block * kChainBlock, count = left < kChainBlock ? left : kChainBlock;
    if (block == 0) {
      cursor.in = 0;
      for (int64_t& at : cursor.at) at = 0;
    }
    for (int64_t r = 0; r < count;) {
      int64_t n = count - r < cursor.run() ? count - r : cursor.run();
      n = n < kWidth ? n : kWidth;
      F32 part[kWidth];
#pragma GCC unroll copies(16)
      for (int k = 0; k < kWidth; ++k) {
        const float* const p = x + (k < lanes ? k : 0) * s.in_stride + cursor.in;
        part[k] = n == kWidth ? F32::load(p) : F32::load_partial(p, static_cast<int>(n));
      }
      transpose(part);
#pragma GCC unroll copies(16)
      for (int k = 0; k < kWidth; ++k) t[r + k] = part[k];  // those beyond n are written over, or not read
      cursor.advance(n);
      r += n;
    }
    return count;
  });
}

// One output of a long line whose elements do not follow one another: a vector takes as many of its blocks as it has lanes.
__attribute__((noinline)) float reduce_chain_line(const ReduceStrip& s, const float* x) {
  const int64_t n = s.axes->count, place = s.axes->in_strides[0];
  F32 shift[kReduceVectors], t[kChainBlock];
  shift[0] = F32::zero();
  float total = 0.f;
  const auto pass = [&](ReduceKind kind) {
    for (int64_t b = 0; b < n; b += kChainVector) {
      const int64_t left = n - b, blocks = left < kChainVector ? (left + kChainBlock - 1) / kChainBlock : kWidth;
      // Of the last blocks those that are whole go together, and the one that is not goes alone.
      const int64_t whole = left < kChainVector ? left / kChainBlock : kWidth;
      for (int64_t first_block = 0; first_block<blocks; first_block += whole> first_block ? whole : 1) {
        const bool together = first_block < whole;
        const int64_t count = together ? kChainBlock : left - first_block * kChainBlock;
        const int lanes = static_cast<int>(together ? whole : 1);
        for (int64_t c = 0; c < count; ++c)
          t[c] = F32::load_strided(x + (b + first_block * kChainBlock + c) * place, kChainBlock * place, lanes);
        with_step(kind, shift, [&](float start, auto step, auto combine) {
          F32 acc = F32::set(start);
#pragma GCC unroll 1
          for (int64_t k = 0; k < count; ++k) acc = step(acc, t[k], 0);
          float sums[kWidth];
          acc.store(sums);
#pragma GCC unroll 1
          for (int k = 0; k < lanes; ++k) total = b + first_block + k == 0 ? sums[k] : first(combine(F32::set(total), F32::set(sums[k])));
        });
      }
    }
  };
  if (s.kind == ReduceKind::log_sum_exp) {
    pass(ReduceKind::max);
    shift[0] = finite_or_zero(F32::set(total));
  }
  pass(s.kind);
  F32 y = finish(s.kind, F32::set(total), n);
  if (s.kind == ReduceKind::log_sum_exp) y = y + shift[0];
  return first(y);
}

inline void reduce_strip(const ReduceStrip& s) {
  const bool long_line = s.axes->rank == 1 && s.axes->count >= kChainVector, contiguous = long_line && s.axes->in_strides[0] == 1;
  const bool few = long_line && s.width < kWidth / 2;  // outputs: their blocks are more
  if (!s.lanes && (few || ((s.in_stride != 1 || s.width == 1) && (contiguous || goes_by_columns(*s.axes))))) {
    const bool row = contiguous || s.axes->rank > 1;
    for (int64_t i = 0; i < s.width; ++i) {
      const float* const x = s.in + i * s.in_stride;
      s.out[i * s.out_stride] = row ? reduce_chain_row(s, x) : reduce_chain_line(s, x);
    }
    return;
  }
  if (!s.lanes && s.in_stride != 1 && s.width > 1 && goes_by_runs(*s.axes)) {
    for (int64_t i = 0; i < s.width; i += kWidth) {
      const int lanes = static_cast<int>(s.width - i < kWidth ? s.width - i : kWidth);
      float results[kWidth];
      reduce_chain_runs(s, s.in + i * s.in_stride, lanes).store(results);
      for (int k = 0; k < lanes; ++k) s.out[(i + k) * s.out_stride] = results[k];
    }
    return;
  }
  if (s.lanes && (s.axes->in_strides[0] == 1 || s.axes->count == 1)) {
    int64_t i = 0;
    if (s.axes->count > 0 && s.axes->count <= kReductionLanes)
      for (; i + kWidth <= s.width; i += kWidth) {
        const F32 y = reduce_short_rows(s, s.in + i * s.in_stride);
        if (s.out_stride == 1) {
          y.store(s.out + i);
          continue;
        }
        float results[kWidth];
        y.store(results);
        for (int k = 0; k < kWidth; ++k) s.out[(i + k) * s.out_stride] = results[k];
      }
    for (; i < s.width; ++i) s.out[i * s.out_stride] = reduce_row(s, s.in + i * s.in_stride);
    return;
  }
  F32 total[kReduceVectors];
  int64_t i = 0;
  if (s.in_stride == 1 && s.out_stride == 1) {
    for (; i + kReduceVectors * kWidth <= s.width; i += kReduceVectors * kWidth) {
      const float* p = s.in + i;
      reduce_across<kReduceVectors>(
          s, [=](int64_t at, int j) { return F32::load(p + at + j * kWidth); }, total);
      for (int j = 0; j < kReduceVectors; ++j) total[j].store(s.out + i + j * kWidth);
    }
    for (; i + kWidth <= s.width; i += kWidth) {
      const float* p = s.in + i;
      reduce_across<1>(
          s, [=](int64_t at, int) { return F32::load(p + at); }, total);
      total[0].store(s.out + i);
    }
  }
  for (; i < s.width; i += kWidth) {
    const int lanes = static_cast<int>(s.width - i < kWidth ? s.width - i : kWidth);
    const float* p = s.in + i * s.in_stride;
    const int64_t stride = s.in_stride;
    reduce_across<1>(
        s, [=](int64_t at, int) { return F32::load_strided(p + at, stride, lanes); }, total);
    float t[kWidth];
    total[0].store(t);
    for (int k = 0; k < lanes; ++k) s.out[(i + k) * s.out_stride] = t[k];
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
