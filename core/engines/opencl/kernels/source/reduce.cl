// SPDX-License-Identifier: Apache-2.0
// Reductions, in the order of docs/numerics.md, section 2. Rows are the kept axes but one, which is columns; a work-item has W columns
// (`reduce_chain`) or one element (`reduce_lanes`, for sums along the last axis, which is then the only reduced one). Reduced axes are
// q0, q1, ..., REDUCED of them. START, TAKE(acc, x), JOINED(a, b) and END(total) say which reduction; log_sum_exp is JOINED twice.
#define Y_STRIDE(k) , const long ys##k
#define X_STRIDE(k) , const long xs##k
#define Y_TERM(k) +i##k * ys##k
#define X_TERM(k) +i##k * xs##k
#define EACH_REDUCED JOIN(ROWS_, REDUCED)
#define EACH_REDUCED_BACK JOIN(BACK_, REDUCED)
#define REDUCED_DIM(k) , const long q##k, const long r##k
#define REDUCED_BEGIN(k) long at##k = 0;
#define REDUCED_NEXT(k)            \
  at##k += step;                   \
  offset += step * r##k;           \
  step = at##k == q##k ? 1 : 0;    \
  if (step) offset -= at##k * r##k, at##k = 0;

#define PARAMS                                                                                                           \
  global float *y, const long yo EACH_ROW(Y_STRIDE), const long yc, global const float *x, const long xo EACH_ROW(X_STRIDE), \
      const long xc, const long columns, const long count EACH_ROW(ROW_DIM) EACH_REDUCED(REDUCED_DIM)

// Sum of `take` over all reduced positions of W columns: total.
#define CHAIN(total, start, take, join)                        \
  {                                                            \
    EACH_REDUCED(REDUCED_BEGIN)                                \
    long offset = 0;                                           \
    for (long b = 0; b < count; b += 64) {                     \
      const long end = min(count, b + 64);                     \
      F acc = SET(start);                                      \
      for (long r = b; r < end; ++r) {                         \
        const F v = load_lanes(xp + offset, xc, lanes);        \
        take                                                   \
        long step = 1;                                         \
        EACH_REDUCED_BACK(REDUCED_NEXT)                        \
      }                                                        \
      if (b == 0) total = acc;                                 \
      else total = join(total, acc);                           \
    }                                                          \
  }

ENTRY(reduce_chain) PARAMS) {
  if (!live) return;
  const long column = G0 * W;
  const int lanes = (int)min(columns - column, (long)W);
  if (lanes <= 0 || G1 >= ROW_COUNT) return;
  BEGIN_ROWS(G1)
  global const float* xp = x + (xo + column * xc EACH_ROW(X_TERM));
  F total = SET(START);
#ifdef SHIFTED
  F shift = SET(-INFINITY);
  CHAIN(shift, -INFINITY, acc = b_max(acc, v);, b_max)
  shift = SELECT(f_abs(shift) == SET(INFINITY), SET(0.f), shift);
#endif
  CHAIN(total, START, TAKE, JOINED)
  END
  store_lanes(total, y + (yo + column * yc EACH_ROW(Y_TERM)), yc, lanes);
}

// One element by 32 lanes: a group's on devices that are like GPUs.
#ifdef GROUP_OF_LANES
ENTRY(reduce_lanes) PARAMS) {
  GROUP_MEMORY
  if (!live) return;
  LANE_OF_ROW(columns * ROW_COUNT)
  const long column = own_row % columns;
  BEGIN_ROWS(own_row / columns)
  global const float* xp = x + (xo + column * xc EACH_ROW(X_TERM));
  F total = START;
#ifdef SHIFTED
  F shift = -INFINITY;
  SUM_OF_LANES(shift, -INFINITY, acc = b_max(acc, v);, b_max, xp, r0)
  shift = fabs(shift) == INFINITY ? 0.f : shift;
#endif
  SUM_OF_LANES(total, START, TAKE, JOINED, xp, r0)
  END
  if (mine && lane == 0) y[yo + column * yc EACH_ROW(Y_TERM)] = total;
}
#endif
// In a work-item's own F, of which this has one lane: SCALAR programs have W = 1.
#if W == 1 && !defined(GROUP_OF_LANES)
#define LANES(total, start, take, join)                               \
  for (long b = 0; b < count; b += 4096) {                            \
    const long end = min(count, b + 4096);                            \
    float lane[32];                                                   \
    for (int i = 0; i < 32; ++i) lane[i] = start;                     \
    for (long r = b; r < end; r += 32) {                              \
      const int some = (int)min(end - r, 32L);                        \
      for (int i = 0; i < some; ++i) {                                \
        const float v = xp[(r + i) * r0];                             \
        float acc = lane[i];                                          \
        take                                                          \
        lane[i] = acc;                                                \
      }                                                               \
    }                                                                 \
    for (int h = 16; h >= 1; h >>= 1)                                 \
      for (int i = 0; i < h; ++i) lane[i] = join(lane[i], lane[i + h]); \
    if (b == 0) total = lane[0];                                      \
    else total = join(total, lane[0]);                                \
  }

ENTRY(reduce_lanes) PARAMS) {
  if (!live) return;
  const long column = G0;
  if (column >= columns || G1 >= ROW_COUNT) return;
  BEGIN_ROWS(G1)
  global const float* xp = x + (xo + column * xc EACH_ROW(X_TERM));
  F total = START;
#ifdef SHIFTED
  F shift = -INFINITY;
  LANES(shift, -INFINITY, acc = b_max(acc, v);, b_max)
  shift = fabs(shift) == INFINITY ? 0.f : shift;
#endif
  LANES(total, START, TAKE, JOINED)
  END
  y[yo + column * yc EACH_ROW(Y_TERM)] = total;
}
#endif
