// SPDX-License-Identifier: Apache-2.0
// Softmax and its logarithm (docs/numerics.md, section 3) of one axis; the others are rows, but the one that is columns.
#define Y_STRIDE(k) , const long ys##k
#define X_STRIDE(k) , const long xs##k
#define Y_TERM(k) +i##k * ys##k
#define X_TERM(k) +i##k * xs##k

#define PARAMS                                                                                                              \
  global float *y, const long yo EACH_ROW(Y_STRIDE), const long yc, const long y_step, global const float *x,             \
      const long xo EACH_ROW(X_STRIDE), const long xc, const long x_step, const long columns, const long count EACH_ROW(ROW_DIM)

#ifdef LOGARITHM
#define RESULT(x, m, s) ((x - m) - s)
#define OF_SUM(s) f_log(s)
#else
#define RESULT(x, m, s) (f_exp(x - m) * s)
#define OF_SUM(s) (SET(1.f) / s)
#endif

#define MOST_HELD 64   // a block of a sum
#define LANE_HOLDS 16  // elements of a row in a work-item's registers

// The axis is not the last: a chain for each of W columns.
ENTRY(softmax_chain) PARAMS) {
  if (!live) return;
  const long column = G0 * W;
  const int lanes = (int)min(columns - column, (long)W);
  if (lanes <= 0 || G1 >= ROW_COUNT) return;
  BEGIN_ROWS(G1)
  global const float* xp = x + (xo + column * xc EACH_ROW(X_TERM));
  global float* yp = y + (yo + column * yc EACH_ROW(Y_TERM));
#if W == 16
  if (count <= MOST_HELD && (xc != 1 || yc != 1)) {  // columns are read and written once, along the axis
    float16 held[MOST_HELD];
    private float* const each = (private float*)held;
    for (long r = 0; r < count; ++r) held[r] = 0.f;
    for (int i = 0; i < lanes; ++i)
      for (long r = 0; r < count; ++r) each[r * 16 + i] = xp[i * xc + r * x_step];
    float16 top = -INFINITY;
    for (long r = 0; r < count; ++r) top = b_max(top, held[r]);
    float16 sum = 0.f;
    for (long r = 0; r < count; ++r) {
      const float16 e = f_exp(held[r] - top);
#ifndef LOGARITHM
      held[r] = e;
#endif
      sum = sum + e;
    }
    sum = OF_SUM(sum);
#ifdef LOGARITHM
    for (long r = 0; r < count; ++r) held[r] = RESULT(held[r], top, sum);
#else
    for (long r = 0; r < count; ++r) held[r] = held[r] * sum;
#endif
    for (int i = 0; i < lanes; ++i)
      for (long r = 0; r < count; ++r) yp[i * yc + r * y_step] = each[r * 16 + i];
    return;
  }
#endif
  F m = SET(-INFINITY);
  for (long r = 0; r < count; ++r) m = b_max(m, load_lanes(xp + r * x_step, xc, lanes));
  F s = SET(0.f);
  for (long b = 0; b < count; b += 64) {
    const long end = min(count, b + 64);
    F acc = SET(0.f);
    for (long r = b; r < end; ++r) acc = acc + f_exp(load_lanes(xp + r * x_step, xc, lanes) - m);
    s = b == 0 ? acc : s + acc;
  }
  s = OF_SUM(s);
  for (long r = 0; r < count; ++r) {
    const F v = load_lanes(xp + r * x_step, xc, lanes);
    store_lanes(RESULT(v, m, s), yp + r * y_step, yc, lanes);
  }
}

#if W == 16
#define TREE(t)                                     \
  const float8 t8 = t.lo + t.hi;                    \
  const float4 t4 = t8.lo + t8.hi;                  \
  const float2 t2 = t4.lo + t4.hi;

// The axis is the last: 32 lanes along it, as two vectors.
ENTRY(softmax_lanes) PARAMS) {
  if (!live) return;
  const long column = G0;
  if (column >= columns || G1 >= ROW_COUNT) return;
  BEGIN_ROWS(G1)
  global const float* xp = x + (xo + column * xc EACH_ROW(X_TERM));
  global float* yp = y + (yo + column * yc EACH_ROW(Y_TERM));
  float16 largest = -INFINITY;
  for (long r = 0; r < count; r += 16) {
    const int n = (int)min(count - r, 16L);
    float16 v = load_lanes(xp + r * x_step, x_step, n);
    if (n < 16) {
      float t[16];
      vstore16(v, 0, t);
      for (int i = n; i < 16; ++i) t[i] = -INFINITY;
      v = vload16(0, t);
    }
    largest = b_max(largest, v);
  }
  float t[16];
  vstore16(largest, 0, t);
  float top = t[0];
  for (int i = 1; i < 16; ++i) top = top != top || t[i] != t[i] ? top + t[i] : top < t[i] ? t[i] : top;
  const F m = SET(top);
  float sum = 0.f;
  for (long b = 0; b < count; b += 4096) {
    const long end = min(count, b + 4096);
    float16 lane[2] = {(float16)(0.f), (float16)(0.f)};
    int half_ = 0;
    for (long r = b; r < end; r += 16, half_ ^= 1) {
      const int n = (int)min(end - r, 16L);
      const float16 e = f_exp(load_lanes(xp + r * x_step, x_step, n) - m);
      if (n == 16) {
        if (half_) lane[1] = lane[1] + e;
        else lane[0] = lane[0] + e;
      } else {  // lanes without an element stay as they are: adding a zero could turn -0
        float acc[16];
        vstore16(half_ ? lane[1] : lane[0], 0, acc);
        vstore16(e, 0, t);
        for (int i = 0; i < n; ++i) acc[i] += t[i];
        if (half_) lane[1] = vload16(0, acc);
        else lane[0] = vload16(0, acc);
      }
    }
    const float16 t16 = lane[0] + lane[1];
    TREE(t16)
    sum = b == 0 ? t2.x + t2.y : sum + (t2.x + t2.y);
  }
  const F s = OF_SUM(SET(sum));
  for (long r = 0; r < count; r += 16) {
    const int n = (int)min(count - r, 16L);
    const F v = load_lanes(xp + r * x_step, x_step, n);
    store_lanes(RESULT(v, m, s), yp + r * y_step, y_step, n);
  }
}
#elif defined(GROUP_OF_LANES)
ENTRY(softmax_lanes) PARAMS) {
  GROUP_MEMORY
  if (!live) return;
  LANE_OF_ROW(columns * ROW_COUNT)
  const long column = own_row % columns;
  BEGIN_ROWS(own_row / columns)
  global const float* xp = x + (xo + column * xc EACH_ROW(X_TERM));
  global float* yp = y + (yo + column * yc EACH_ROW(Y_TERM));
  float m = -INFINITY, largest = -INFINITY;
  if (count <= 32 * LANE_HOLDS) {  // a row is read once, and each power is computed once
    float held[LANE_HOLDS];
    const int own = (int)count - lane, step = (int)x_step, y_next = (int)y_step;  // places fit 32 bits (devices.cpp)
    xp += lane * step;
    yp += lane * y_next;
    #pragma unroll
    for (int n = 0; n < LANE_HOLDS; ++n)
      if (32 * n < own) {
        held[n] = xp[32 * n * step];
        largest = b_max(largest, held[n]);
      }
    TREE_OF_LANES(m, largest, b_max)
    float acc = 0.f, s;
    #pragma unroll
    for (int n = 0; n < LANE_HOLDS; ++n)
      if (32 * n < own) {
        const float e = f_exp(held[n] - m);
#ifndef LOGARITHM
        held[n] = e;
#endif
        acc = acc + e;
      }
    TREE_OF_LANES(s, acc, b_add)
    s = OF_SUM(s);
    if (!mine) return;
    #pragma unroll
    for (int n = 0; n < LANE_HOLDS; ++n)
#ifdef LOGARITHM
      if (32 * n < own) yp[32 * n * y_next] = RESULT(held[n], m, s);
#else
      if (32 * n < own) yp[32 * n * y_next] = held[n] * s;
#endif
    return;
  }
  for (long r = lane; r < count; r += 32) largest = b_max(largest, xp[r * x_step]);
  TREE_OF_LANES(m, largest, b_max)
  float s = 0.f;
  SUM_OF_LANES(s, 0.f, acc = acc + f_exp(v - m);, b_add, xp, x_step)
  s = OF_SUM(s);
  if (!mine) return;
  for (long r = lane; r < count; r += 32) {
    const float v = xp[r * x_step];
    yp[r * y_step] = RESULT(v, m, s);
  }
}
#endif
