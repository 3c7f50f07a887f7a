// SPDX-License-Identifier: Apache-2.0
// condition ? a : b of elements of type T. Rows and columns as in eltwise.cl.
#define Y_STRIDE(k) , const long ys##k
#define M_STRIDE(k) , const long ms##k
#define A_STRIDE(k) , const long as##k
#define B_STRIDE(k) , const long bs##k
#define Y_TERM(k) +i##k * ys##k
#define M_TERM(k) +i##k * ms##k
#define A_TERM(k) +i##k * as##k
#define B_TERM(k) +i##k * bs##k

ENTRY(where) global T* y, const long yo EACH_ROW(Y_STRIDE), const long yc,             //
             global const uchar* m, const long mo EACH_ROW(M_STRIDE), const long mc,   //
             global const T* a, const long ao EACH_ROW(A_STRIDE), const long ac,       //
             global const T* b, const long bo EACH_ROW(B_STRIDE), const long bc,       //
             const long columns, const long row_step, const long column_step EACH_ROW(ROW_DIM)) {
  if (!live) return;
  RANGE_OF_ITEM(1)
  BEGIN_ROWS(r0)
  for (INDEX r = r0; r < r1; ++r) {
    global T* yp = y + (yo EACH_ROW(Y_TERM));
    global const uchar* mp = m + (mo EACH_ROW(M_TERM));
    global const T* ap = a + (ao EACH_ROW(A_TERM));
    global const T* bp = b + (bo EACH_ROW(B_TERM));
    for (INDEX c = c0; c < c1; c = NEXT_COLUMN(c)) yp[c * yc] = mp[c * mc] ? ap[c * ac] : bp[c * bc];
    NEXT_ROW()
  }
}
