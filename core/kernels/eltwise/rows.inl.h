// SPDX-License-Identifier: Apache-2.0
// The f32 element-wise machine over a vector type F32. A strip is 8 vectors; short rows share one, so that a call is paid per strip and not
// per row. Strips of whole vectors stay in registers while the chain's steps pass over them, others lie on the stack. Plain sums,
// differences, products and quotients take a direct loop.
#pragma once

#include <cstdint>

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/rows.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kStrip = 8;
constexpr int64_t kLanes = F32::kWidth;

// A strip's vectors: where each begins, how many lanes are real; whole: all lanes of all vectors.
struct Strip {
  int n = 0;
  bool whole = true;
  int64_t row[kStrip], column[kStrip];
  int lanes[kStrip];
};

inline F32 load_lanes(const RowOperand& o, int64_t row, int64_t column, int lanes) {
  const float* p = o.data + row * o.row_stride + column * o.column_stride;
  if (o.column_stride == 0) return F32::set(*p);
  if (o.column_stride != 1) return F32::load_strided(p, o.column_stride, lanes);
  return lanes == kLanes ? F32::load(p) : F32::load_partial(p, lanes);
}

inline void load_strip(const RowOperand& o, const Strip& s, F32* v) {
  if (s.whole && o.column_stride == 1) {
    for (int i = 0; i < s.n; ++i) v[i] = F32::load(o.data + s.row[i] * o.row_stride + s.column[i]);
    return;
  }
  for (int i = 0; i < s.n; ++i) v[i] = load_lanes(o, s.row[i], s.column[i], s.lanes[i]);
}

inline void store_lanes(const RowBlock& b, int64_t row, int64_t column, int lanes, F32 v) {
  float* p = b.out + row * b.out_row_stride + column * b.out_column_stride;
  if (b.out_column_stride == 1) {
    if (lanes == kLanes) v.store(p);
    else v.store_partial(p, lanes);
    return;
  }
  float t[kLanes];
  v.store(t);
  for (int i = 0; i < lanes; ++i) p[i * b.out_column_stride] = t[i];
}

inline void run_strip(const RowBlock& b, const Strip& s) {
  F32 v[kStrip], w[kStrip];
  load_strip(b.first, s, v);
  for (int k = 0; k < b.count; ++k) {
    const PostOp& op = b.steps[k];
    if (op.kind == PostOp::Kind::unary) {
      StripUnary::ANYDIM_ISA(op.unary, op.alpha, op.beta, v, s.n);
      continue;
    }
    load_strip(b.operands[k], s, w);
    if (op.kind == PostOp::Kind::binary) {
      StripBinary::ANYDIM_ISA(op.binary, v, w, s.n);
    } else {
      StripBinary::ANYDIM_ISA(op.binary, w, v, s.n);
      for (int i = 0; i < s.n; ++i) v[i] = w[i];
    }
  }
  if (s.whole && b.out_column_stride == 1) {
    for (int i = 0; i < s.n; ++i) v[i].store(b.out + s.row[i] * b.out_row_stride + s.column[i]);
    return;
  }
  for (int i = 0; i < s.n; ++i) store_lanes(b, s.row[i], s.column[i], s.lanes[i], v[i]);
}

// Every row reads the same elements of it, one for each column.
inline bool repeats(const RowOperand& o) { return o.row_stride == 0 && o.column_stride == 1; }

// Strips of whole vectors that are `wide` vectors of as many rows as make eight: where each of them is in an operand, from the
// strip's first element.
struct WholeStrip {
  int64_t first[kStrip], out[kStrip], operands[kMaxRowSteps][kStrip];
  bool one[kMaxRowSteps] = {};  // the operand has one vector for all eight

  WholeStrip(const RowBlock& b, int wide) {
    const auto fill = [&](int64_t* at, int64_t row_stride, int64_t column_stride) {
      for (int i = 0; i < kStrip; ++i) at[i] = i / wide * row_stride + i % wide * kLanes * column_stride;
    };
    fill(first, b.first.row_stride, b.first.column_stride);
    fill(out, b.out_row_stride, 1);
    for (int k = 0; k < b.count; ++k)
      if (b.steps[k].takes_tensor()) {
        one[k] = wide == 1 && repeats(b.operands[k]);
        fill(operands[k], b.operands[k].row_stride, b.operands[k].column_stride);
      }
  }
};

// An operand is contiguous along the row or one value.
inline __attribute__((always_inline)) void load_whole(const RowOperand& o, const int64_t* at, int64_t row, int64_t column,
                                                      F32 (&v)[1][kStrip]) {
  const float* p = o.data + row * o.row_stride;
  if (o.column_stride == 0) {
#pragma GCC unroll copies(8)
    for (int i = 0; i < kStrip; ++i) v[0][i] = F32::set(p[at[i]]);
  } else {
    p += column;
#pragma GCC unroll copies(8)
    for (int i = 0; i < kStrip; ++i) v[0][i] = F32::load(p + at[i]);
  }
}

// A step whose operand is one vector; false if this is not such a step.
inline __attribute__((always_inline)) bool step_by_one(const PostOp& op, const float* p, F32 (&v)[1][kStrip]) {
  if (!kInRegisters || op.kind != PostOp::Kind::binary) return false;
  const F32 t = F32::load(p);
  switch (op.binary) {
    case BinaryFunction::add: each(v, [t](F32 y) { return y + t; }); return true;
    case BinaryFunction::sub: each(v, [t](F32 y) { return y - t; }); return true;
    case BinaryFunction::mul: each(v, [t](F32 y) { return y * t; }); return true;
    default: return false;
  }
}

// Steps of a few instructions that epilogues leave to a call: here they are one copy of the code for each. False: other steps.
inline __attribute__((always_inline)) bool short_step(const PostOp& op, F32 (&v)[1][kStrip]) {
  if (!kInRegisters) return false;
  switch (op.unary) {
    case UnaryFunction::square: each(v, [](F32 y) { return y * y; }); return true;
    case UnaryFunction::sqrt: each(v, [](F32 y) { return sqrt(y); }); return true;
    case UnaryFunction::round_even: each(v, [](F32 y) { return round_even(y); }); return true;
    default: return false;
  }
}
inline __attribute__((always_inline)) bool short_step(const PostOp& op, F32 (&v)[1][kStrip], const F32 (&t)[1][kStrip]) {
  if (!kInRegisters || op.kind != PostOp::Kind::binary) return false;
  switch (op.binary) {
    case BinaryFunction::div: each(v, t, [](F32 y, F32 x) { return y / x; }); return true;
    case BinaryFunction::min: each(v, t, [](F32 y, F32 x) { return min(y, x); }); return true;
    case BinaryFunction::max: each(v, t, [](F32 y, F32 x) { return max(y, x); }); return true;
    default: return false;
  }
}

// Stays in registers from its loads to its stores.
__attribute__((noinline)) void run_whole_strip(const RowBlock& b, const WholeStrip& s, int64_t row, int64_t column) {
  F32 v[1][kStrip];
  load_whole(b.first, s.first, row, column, v);
  for (int k = 0; k < b.count; ++k) {
    const PostOp& op = b.steps[k];
    if (op.kind == PostOp::Kind::unary) {
      if (!short_step(op, v)) unary_step(op.unary, op.alpha, op.beta, v);
    } else if (!s.one[k] || !step_by_one(op, b.operands[k].data + column, v)) {
      F32 t[1][kStrip];
      load_whole(b.operands[k], s.operands[k], row, column, t);
      if (!short_step(op, v, t)) binary_step(op.binary, op.kind == PostOp::Kind::binary_reversed, v, t);
    }
  }
  float* p = b.out + row * b.out_row_stride + column;
#pragma GCC unroll copies(8)
  for (int i = 0; i < kStrip; ++i) v[0][i].store(p + s.out[i]);
}

// Rows [begin, end) from `column` on in strips of any vectors.
inline void run_ragged(const RowBlock& b, int64_t begin, int64_t end, int64_t column) {
  Strip s;
  for (int64_t r = begin; r < end; ++r)
    for (int64_t c = column; c < b.columns; c += kLanes) {
      s.row[s.n] = r;
      s.column[s.n] = c;
      s.lanes[s.n] = static_cast<int>(b.columns - c < kLanes ? b.columns - c : kLanes);
      s.whole = s.whole && s.lanes[s.n] == kLanes;
      if (++s.n == kStrip) {
        run_strip(b, s);
        s.n = 0;
        s.whole = true;
      }
    }
  if (s.n > 0) run_strip(b, s);
}

inline void run_chain(const RowBlock& b) {
  const auto plain = [](int64_t stride) { return stride == 0 || stride == 1; };
  bool contiguous = b.out_column_stride == 1 && plain(b.first.column_stride);
  for (int k = 0; k < b.count; ++k)
    if (b.steps[k].kind != PostOp::Kind::unary) contiguous = contiguous && plain(b.operands[k].column_stride);
  if (!contiguous || b.columns < kLanes) return run_ragged(b, 0, b.rows, 0);
  // Some rows at a time, so that what one width of strips leaves of a cache line is still near when the next takes it.
  constexpr int64_t kSomeRows = 64;
  int repeating = 0;
  for (int k = 0; k < b.count; ++k) repeating += b.steps[k].takes_tensor() && repeats(b.operands[k]);
  // Beyond, the lines of eight rows, which often lie a power of two apart, push each other out of the first cache (1,024 columns: four
  // times the time).
  constexpr int64_t kMostColumns = 256;
  if (kInRegisters && repeating > 1 && b.rows >= kStrip && b.columns <= kMostColumns) {
    // Eight rows of one vector: each of these operands is loaded once for all of them.
    const WholeStrip column(b, 1);
    const int64_t whole = b.columns / kLanes * kLanes;
    for (int64_t begin = 0; begin < b.rows; begin += kSomeRows) {
      const int64_t end = b.rows - begin < kSomeRows ? b.rows : begin + kSomeRows;
      const int64_t even = begin + (end - begin) / kStrip * kStrip;
      for (int64_t c = 0; c < whole; c += kLanes)
        for (int64_t r = begin; r < even; r += kStrip) run_whole_strip(b, column, r, c);
      if (whole < b.columns) run_ragged(b, begin, even, whole);
      run_ragged(b, even, end, 0);
    }
    return;
  }
  const WholeStrip row(b, kStrip);
  for (int64_t begin = 0; begin < b.rows; begin += kSomeRows) {
    const int64_t end = b.rows - begin < kSomeRows ? b.rows : begin + kSomeRows;
    const int64_t even = begin + (end - begin) / kStrip * kStrip;
    int64_t c = 0;
    for (int64_t r = begin; r < end; ++r)
      for (c = 0; c + kStrip * kLanes <= b.columns; c += kStrip * kLanes) run_whole_strip(b, row, r, c);
    if (c == b.columns) continue;
    run_ragged(b, even, end, c);
    if (even == begin) continue;
    for (int wide = kStrip / 2; wide >= 1; wide /= 2) {
      if (b.columns - c < wide * kLanes) continue;
      const WholeStrip strip(b, wide);
      for (int64_t r = begin; r < even; r += kStrip / wide) run_whole_strip(b, strip, r, c);
      c += wide * kLanes;
    }
    if (c < b.columns) run_ragged(b, begin, even, c);
  }
}

template <class Op> inline void run_direct(const RowBlock& b, Op op) {
  const RowOperand &x = b.first, &y = b.operands[0];
  for (int64_t r = 0; r < b.rows; ++r) {
    const float* p = x.data + r * x.row_stride;
    const float* q = y.data + r * y.row_stride;
    float* out = b.out + r * b.out_row_stride;
    int64_t c = 0;
    if (x.column_stride == 1 && y.column_stride == 1) {
      for (; c + kLanes <= b.columns; c += kLanes) op(F32::load(p + c), F32::load(q + c)).store(out + c);
    } else if (x.column_stride == 1) {
      const F32 s = F32::set(*q);
      for (; c + kLanes <= b.columns; c += kLanes) op(F32::load(p + c), s).store(out + c);
    } else {
      const F32 s = F32::set(*p);
      for (; c + kLanes <= b.columns; c += kLanes) op(s, F32::load(q + c)).store(out + c);
    }
    if (c < b.columns) {
      const int lanes = static_cast<int>(b.columns - c);
      store_lanes(b, r, c, lanes, op(load_lanes(x, r, c, lanes), load_lanes(y, r, c, lanes)));
    }
  }
}

inline void run_rows(const RowBlock& b) {
  if (b.count == 1 && b.steps[0].kind == PostOp::Kind::binary && b.out_column_stride == 1) {
    const int64_t sx = b.first.column_stride, sy = b.operands[0].column_stride;
    if ((sx == 1 && (sy == 1 || sy == 0)) || (sx == 0 && sy == 1)) {
      switch (b.steps[0].binary) {
        case BinaryFunction::add: return run_direct(b, [](F32 x, F32 y) { return x + y; });
        case BinaryFunction::sub: return run_direct(b, [](F32 x, F32 y) { return x - y; });
        case BinaryFunction::mul: return run_direct(b, [](F32 x, F32 y) { return x * y; });
        case BinaryFunction::div: return run_direct(b, [](F32 x, F32 y) { return x / y; });
        default: break;
      }
    }
  }
  run_chain(b);
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
