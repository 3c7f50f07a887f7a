// SPDX-License-Identifier: Apache-2.0
// Pads, or cuts off, elements of type T: rows of the output and columns along its last axis, in logical order. MODE is PadMode's number.
#define Y_STRIDE(k) , const long ys##k
#define X_STRIDE(k) , const long xs##k
#define X_DIM(k) , const long in##k, const long before##k

// Where place p of an axis of n elements is read; -1: it is the value.
static inline long source_of(const long p, const long n) {
  if (p >= 0 && p < n) return p;
#if MODE == 0
  return -1;
#elif MODE == 2
  return p < 0 ? 0 : n - 1;
#elif MODE == 3
  const long m = p % n;
  return m < 0 ? m + n : m;
#else
  if (n == 1) return 0;
  const long period = 2 * (n - 1), m = p % period, at = m < 0 ? m + period : m;
  return at < n ? at : period - at;
#endif
}
#define ROW_SOURCE(k)                                      \
  {                                                        \
    const long at = source_of(i##k - before##k, in##k);    \
    inside = inside && at >= 0;                            \
    from += at * xs##k;                                    \
    to += i##k * ys##k;                                    \
  }

ENTRY(pad) global T* y, const long yo EACH_ROW(Y_STRIDE), const long yc,        //
           global const T* x, const long xo EACH_ROW(X_STRIDE), const long xc,  //
#ifdef HAS_VALUE
           global const T* value, const long value_o,
#endif
           const long columns, const long in_columns, const long before EACH_ROW(ROW_DIM) EACH_ROW(X_DIM), const long row_step) {
  if (!live) return;
#if LOCAL_X == 1
  const long r0 = G0 * row_step, r1 = min(ROW_COUNT, r0 + row_step), c0 = 0, c1 = columns;
  if (r0 >= r1) return;
#else
  // One element, by 32 bits, which hold all places (devices.cpp).
  const long r0 = (uint)G0 / (uint)columns, r1 = r0 + 1, c0 = (uint)G0 % (uint)columns, c1 = c0 + 1;
  if (r0 >= ROW_COUNT) return;
#endif
#ifdef HAS_VALUE
  const T fill = value[value_o];
#else
  const T fill = 0;
#endif
  BEGIN_ROWS(r0)
  for (long r = r0; r < r1; ++r) {
    bool inside = true;
    long from = xo, to = yo;
    EACH_ROW(ROW_SOURCE)
    for (long c = c0; c < c1; ++c) {
      const long at = source_of(c - before, in_columns);
      y[to + c * yc] = inside && at >= 0 ? x[from + at * xc] : fill;
    }
    NEXT_ROW()
  }
}
