// SPDX-License-Identifier: Apache-2.0
// The same elements in another dtype (docs/numerics.md, section 7): FROM to TO, as CONVERT(x) has it. Rows and columns as in copy.cl.
#define Y_STRIDE(k) , const long ys##k
#define X_STRIDE(k) , const long xs##k
#define Y_TERM(k) +i##k * ys##k
#define X_TERM(k) +i##k * xs##k

// Toward zero; beyond the type's numbers its nearest, NaN 0. `above` is the first float that is too large.
#define FLOAT_TO(type, x, low, above, high) \
  ((x) != (x) ? (type)0 : (x) >= (above) ? (type)(high) : (x) < (float)(low) ? (type)(low) : (type)(x))

ENTRY(cast) global TO* y, const long yo EACH_ROW(Y_STRIDE), const long yc,         //
            global const FROM* x, const long xo EACH_ROW(X_STRIDE), const long xc,  //
            const long columns, const long row_step, const long column_step EACH_ROW(ROW_DIM)) {
  if (!live) return;
  RANGE_OF_ITEM(1)
  BEGIN_ROWS(r0)
  for (INDEX r = r0; r < r1; ++r) {
    global TO* yp = y + (yo EACH_ROW(Y_TERM));
    global const FROM* xp = x + (xo EACH_ROW(X_TERM));
    for (INDEX c = c0; c < c1; c = NEXT_COLUMN(c)) {
      const FROM v = xp[c * xc];
      yp[c * yc] = CONVERT(v);
    }
    NEXT_ROW()
  }
}
