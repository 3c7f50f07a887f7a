// SPDX-License-Identifier: Apache-2.0
// Copies elements of type T, whatever they mean, between two sets of strides: rows of the output and columns along its innermost axis. The
// offset of scratch is in bytes: a unit of it is an element.
// Transposes, slices, concatenations, expansions and repetitions are this with other numbers.
#define Y_STRIDE(k) , const long ys##k
#define X_STRIDE(k) , const long xs##k
#define Y_TERM(k) +i##k * ys##k
#define X_TERM(k) +i##k * xs##k

#if W == 16
typedef JOIN(T, 16) __attribute__((aligned(1))) AnyT;
#endif

ENTRY(copy) global T* y, const long yo EACH_ROW(Y_STRIDE), const long yc,        //
                 global const T* x, const long xo EACH_ROW(X_STRIDE), const long xc,  //
                 const long y_unit, const long x_unit, const long y_shift, const long x_shift,                              //
                 const long columns, const long row_step, const long column_step EACH_ROW(ROW_DIM)) {
  if (!live) return;
  RANGE_OF_ITEM(1)
  BEGIN_ROWS(r0)
  for (INDEX r = r0; r < r1; ++r) {
    global T* yp = y + (yo / y_unit + y_shift EACH_ROW(Y_TERM));
    global const T* xp = x + (xo / x_unit + x_shift EACH_ROW(X_TERM));
    INDEX c = c0;
#if W == 16
    if (yc == 1 && xc == 1)
      for (; c + 16 <= c1; c += 16) *(global AnyT*)(yp + c) = *(global const AnyT*)(xp + c);
#endif
    for (; c < c1; c = NEXT_COLUMN(c)) yp[c * yc] = xp[c * xc];
    NEXT_ROW()
  }
}
