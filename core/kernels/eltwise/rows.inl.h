// SPDX-License-Identifier: Apache-2.0
// The f32 element-wise machine over a vector type F32. Include it INSIDE the anonymous namespace after functions.inl.h
// and core/kernels/eltwise/rows.h. Strips of up to 8 vectors are held on the stack while the chain's functions pass
// over them; short rows share a strip, so that a call is paid per strip and not per row. Plain sums, differences,
// products and quotients take a direct loop.

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
    const PostOp& op = b.steps[k].op;
    if (op.kind == PostOp::Kind::unary) {
      apply(op.unary, op.alpha, op.beta, v, s.n);
      continue;
    }
    load_strip(b.operands[k], s, w);
    if (op.kind == PostOp::Kind::binary) {
      apply(op.binary, v, w, s.n);
    } else {
      apply(op.binary, w, v, s.n);
      for (int i = 0; i < s.n; ++i) v[i] = w[i];
    }
  }
  if (s.whole && b.out_column_stride == 1) {
    for (int i = 0; i < s.n; ++i) v[i].store(b.out + s.row[i] * b.out_row_stride + s.column[i]);
    return;
  }
  for (int i = 0; i < s.n; ++i) store_lanes(b, s.row[i], s.column[i], s.lanes[i], v[i]);
}

// A full strip of one row whose operands are contiguous or one value.
inline void load_full(const RowOperand& o, int64_t row, int64_t column, F32* v) {
  const float* p = o.data + row * o.row_stride + column * o.column_stride;
  if (o.column_stride == 0) {
    for (int i = 0; i < kStrip; ++i) v[i] = F32::set(*p);
  } else {
    for (int i = 0; i < kStrip; ++i) v[i] = F32::load(p + i * kLanes);
  }
}

inline void run_full_strip(const RowBlock& b, int64_t row, int64_t column) {
  F32 v[kStrip], w[kStrip];
  load_full(b.first, row, column, v);
  for (int k = 0; k < b.count; ++k) {
    const PostOp& op = b.steps[k].op;
    if (op.kind == PostOp::Kind::unary) {
      apply(op.unary, op.alpha, op.beta, v, kStrip);
      continue;
    }
    load_full(b.operands[k], row, column, w);
    if (op.kind == PostOp::Kind::binary) {
      apply(op.binary, v, w, kStrip);
    } else {
      apply(op.binary, w, v, kStrip);
      for (int i = 0; i < kStrip; ++i) v[i] = w[i];
    }
  }
  float* p = b.out + row * b.out_row_stride + column;
  for (int i = 0; i < kStrip; ++i) v[i].store(p + i * kLanes);
}

inline void run_chain(const RowBlock& b) {
  const auto plain = [](int64_t stride) { return stride == 0 || stride == 1; };
  bool contiguous = b.out_column_stride == 1 && plain(b.first.column_stride);
  for (int k = 0; k < b.count; ++k)
    if (b.steps[k].op.kind != PostOp::Kind::unary) contiguous = contiguous && plain(b.operands[k].column_stride);
  Strip s;
  for (int64_t r = 0; r < b.rows; ++r) {
    int64_t c = 0;
    if (contiguous)
      for (; c + kStrip * kLanes <= b.columns; c += kStrip * kLanes) run_full_strip(b, r, c);
    for (; c < b.columns; c += kLanes) {
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
  }
  if (s.n > 0) run_strip(b, s);
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
  if (b.count == 1 && b.steps[0].op.kind == PostOp::Kind::binary && b.out_column_stride == 1) {
    const int64_t sx = b.first.column_stride, sy = b.operands[0].column_stride;
    if ((sx == 1 && (sy == 1 || sy == 0)) || (sx == 0 && sy == 1)) {
      switch (b.steps[0].op.binary) {
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
