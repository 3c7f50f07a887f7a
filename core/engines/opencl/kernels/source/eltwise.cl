// SPDX-License-Identifier: Apache-2.0
// An element-wise operator with the post-ops behind it: rows of the output, and columns along the axis whose elements lie next to each
// other. Axes of rows are ROWS; broadcast axes have strides of 0. COMPUTE sets v from v and, with two inputs, w.
// Offsets are PLACE: 32 bits hold them on devices that are like GPUs (devices.cpp), where 64 cost several instructions each.
#if W == 4
#define PLACE int
#else
#define PLACE long
#endif
#define Y_STRIDE(k) , const long ys##k
#define A_STRIDE(k) , const long as##k
#define B_STRIDE(k) , const long bs##k
#define Y_TERM(k) +(PLACE)i##k * (PLACE)ys##k
#define A_TERM(k) +(PLACE)i##k * (PLACE)as##k
#define B_TERM(k) +(PLACE)i##k * (PLACE)bs##k
#define FIRST_PLACE(k) const long i##k = 0;
#ifdef TWO
#define OFFSETS (int)ao | (int)bo
#define STEPS_BUT_1 ((int)ac ^ 1) | ((int)bc ^ 1)
#else
#define OFFSETS (int)ao
#define STEPS_BUT_1 ((int)ac ^ 1)
#endif

ENTRY(eltwise) global float* y, const long yo EACH_ROW(Y_STRIDE), const long yc,   //
                    global const float* a, const long ao EACH_ROW(A_STRIDE), const long ac,
#ifdef TWO
                    global const float* b, const long bo EACH_ROW(B_STRIDE), const long bc,
#else
                    const float alpha, const float beta,
#endif
                    const long columns, const long row_step, const long column_step EACH_ROW(ROW_DIM) POST_PARAMS) {
  if (!live) return;
  RANGE_OF_ITEM(W)
#if W == 4
  // One row of whole fours, which lie one behind the other in all operands: nothing has to be found.
  if (((int)row_step | (((int)yo | (int)columns | OFFSETS) & 3) | ((int)yc ^ 1) | STEPS_BUT_1) == 0) {
    EACH_ROW(FIRST_PLACE)
    POST_ROW
    for (INDEX c = c0; c < c1; c += next) {
      const int n = 4;
      F v = *(global const F*)(a + ao + c);
#ifdef TWO
      const F w = *(global const F*)(b + bo + c);
#endif
      COMPUTE
      POST(v, c, n)
      *(global F*)(y + yo + c) = v;
    }
    return;
  }
#endif
  BEGIN_ROWS(r0)
  for (INDEX r = r0; r < r1; ++r) {
    global float* yp = y + (yo EACH_ROW(Y_TERM));
    global const float* ap = a + (ao EACH_ROW(A_TERM));
#ifdef TWO
    global const float* bp = b + (bo EACH_ROW(B_TERM));
#endif
    POST_ROW
    for (INDEX c = c0; c < c1; c = NEXT_COLUMN(c)) {
      const int n = (int)min(c1 - c, (INDEX)W);
      F v = load_lanes(ap + (PLACE)c * (PLACE)ac, ac, n);
#ifdef TWO
      const F w = load_lanes(bp + (PLACE)c * (PLACE)bc, bc, n);
#endif
      COMPUTE
      POST(v, c, n)
      store_lanes(v, yp + (PLACE)c * (PLACE)yc, yc, n);
    }
    NEXT_ROW()
  }
}
