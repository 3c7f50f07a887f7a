// SPDX-License-Identifier: Apache-2.0
// An element-wise operator with the post-ops behind it: rows of the output, and columns along the axis whose elements lie next to each
// other. Axes of rows are ROWS; broadcast axes have strides of 0. COMPUTE sets v from v and, with two inputs, w.
#define Y_STRIDE(k) , const long ys##k
#define A_STRIDE(k) , const long as##k
#define B_STRIDE(k) , const long bs##k
#define Y_TERM(k) +i##k * ys##k
#define A_TERM(k) +i##k * as##k
#define B_TERM(k) +i##k * bs##k

ENTRY(eltwise) global float* y, const long yo EACH_ROW(Y_STRIDE), const long yc,   //
                    global const float* a, const long ao EACH_ROW(A_STRIDE), const long ac,
#ifdef TWO
                    global const float* b, const long bo EACH_ROW(B_STRIDE), const long bc,
#else
                    const float alpha, const float beta,
#endif
                    const long columns, const long row_step, const long column_step EACH_ROW(ROW_DIM) POST_PARAMS) {
  if (!live) return;
#if W == 1
  // Neighbouring work-items have neighbouring columns at a time, each of them column_step times.
  const long lane = get_local_id(0), own = (G0 - lane) * column_step, c0 = own + lane, c1 = min(columns, own + LOCAL_X * column_step);
  const int next = LOCAL_X;
#else
  const long c0 = G0 * column_step, c1 = min(columns, c0 + column_step);
  const int next = W;
#endif
  const long r0 = G1 * row_step, r1 = min(ROW_COUNT, r0 + row_step);
  if (c0 >= c1 || r0 >= r1) return;
  BEGIN_ROWS(r0)
  for (long r = r0; r < r1; ++r) {
    global float* yp = y + (yo EACH_ROW(Y_TERM));
    global const float* ap = a + (ao EACH_ROW(A_TERM));
#ifdef TWO
    global const float* bp = b + (bo EACH_ROW(B_TERM));
#endif
    POST_ROW
    for (long c = c0; c < c1; c += next) {
      const int n = (int)min(c1 - c, (long)W);
      F v = load_lanes(ap + c * ac, ac, n);
#ifdef TWO
      const F w = load_lanes(bp + c * bc, bc, n);
#endif
      COMPUTE
      POST(v, c, n)
      store_lanes(v, yp + c * yc, yc, n);
    }
    NEXT_ROW()
  }
}
