// SPDX-License-Identifier: Apache-2.0
// The scale and the zero point of a tensor that is quantized dynamically (docs/numerics.md, section 1). A group has row_step rows by
// column_step columns. If it is alone, it stores both results; else it stores the least and the greatest of 0 and its elements in y, and
// a second launch has those as its x: of all of them, the least and the greatest are the tensor's.
#define X_STRIDE(k) , const long xs##k
#define X_TERM(k) +i##k * xs##k
#define STEP (LOCAL_X * W)

// NaN stays in the greatest, which is enough: what follows from it is NaN.
#define TAKE_LESS(a, v) a = SELECT((v) < a, (v), a);
#define TAKE_GREATER(a, v) a = SELECT(((v) > a) | ((v) != (v)), (v), a);
// Lanes that are missing are 0, which counts anyway.
#define TAKE(i, column)                                                                      \
  {                                                                                          \
    const F v = load_lanes(xp + (column) * xc, xc, (int)min(c1 - (column), (long)W)); \
    TAKE_LESS(low[i], v)                                                                     \
    TAKE_GREATER(high[i], v)                                                                 \
  }

static inline float least(float a, float b) { return b < a ? b : a; }
static inline float greatest(float a, float b) { return b > a || b != b ? b : a; }

// Offsets of tensors in scratch memory are bytes: y_unit and x_unit of them are one element.
#if LOCAL_X > 1
#undef GROUP_PARAMETER
#ifdef WRAPPED
#define GROUP_PARAMETER local float4 *group,
#define GROUP_MEMORY
#else
#define GROUP_PARAMETER
#define GROUP_MEMORY local float4 group[LOCAL_X / 2];
#endif
#endif

ENTRY(quantization_range) global float* y, const long yo, const long y_unit, global uchar* zero_point, const long zo,  //
                          global const float* x, const long xo, const long x_unit EACH_ROW(X_STRIDE), const long xc,    //
                          const int alone, const long columns, const long row_step, const long column_step EACH_ROW(ROW_DIM)) {
#if LOCAL_X > 1
  GROUP_MEMORY
#endif
  if (!live) return;
  const long own = get_local_id(0), column_groups = (columns + column_step - 1) / column_step, number = (G0 - own) / LOCAL_X;
  const long r0 = number / max(column_groups, 1L) * row_step, r1 = min(ROW_COUNT, r0 + row_step);
  const long c0 = number % max(column_groups, 1L) * column_step, c1 = min(columns, c0 + column_step);
  F low[2] = {SET(0.f), SET(0.f)}, high[2] = {SET(0.f), SET(0.f)};
  if (r0 < r1) {
    BEGIN_ROWS(r0)
    for (long r = r0; r < r1; ++r) {
      global const float* xp = x + (xo / x_unit EACH_ROW(X_TERM));
      for (long c = c0 + own * W; c < c1; c += 2 * STEP) {
        TAKE(0, c)
        if (c + STEP < c1) TAKE(1, c + STEP)
      }
      NEXT_ROW()
    }
  }
  TAKE_LESS(low[0], low[1])
  TAKE_GREATER(high[0], high[1])
  float lows[W], highs[W];
  STORE_ARRAY(low[0], lows)
  STORE_ARRAY(high[0], highs)
  float lowest = lows[0], highest = highs[0];
  for (int i = 1; i < W; ++i) {
    lowest = least(lowest, lows[i]);
    highest = greatest(highest, highs[i]);
  }
#if LOCAL_X > 1
  local float *const all_lows = (local float*)group, *const all_highs = all_lows + LOCAL_X;
  all_lows[own] = lowest;
  all_highs[own] = highest;
  for (int h = LOCAL_X / 2; h >= 1; h >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own < h) {
      all_lows[own] = least(all_lows[own], all_lows[own + h]);
      all_highs[own] = greatest(all_highs[own], all_highs[own + h]);
    }
  }
  if (own != 0) return;
  lowest = all_lows[0];
  highest = all_highs[0];
#endif
  if (!alone) {
    y[yo / y_unit + 2 * number] = lowest;
    y[yo / y_unit + 2 * number + 1] = highest;
    return;
  }
  const float width = (highest - lowest) / 255.f, scale = width == 0.f ? 1.f : width, zero = rint(-lowest / scale);
  y[yo / y_unit] = scale;
  zero_point[zo] = zero != zero ? (uchar)0 : zero >= 255.f ? (uchar)255 : (uchar)zero;
}
