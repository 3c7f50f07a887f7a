// SPDX-License-Identifier: Apache-2.0
// Products of matrices on devices that are like GPUs: a group of 16 x 16 work-items has 32 x 32 elements of the result, 2 x 2 each, and
// brings 32 x 16 of both operands into local memory at a time. 16 divides the blocks of 128 of docs/numerics.md, section 1.
// Rows are batch axes and m, as in gemm.cl; the third id is an item of the batch.
#define Y_STRIDE(k) , const long ys##k
#define A_STRIDE(k) , const long as##k
#define B_STRIDE(k) , const long bs##k
#define C_STRIDE(k) , const long cs##k
#define Y_TERM(k) +i##k * ys##k
#define A_TERM(k) +i##k * as##k
#define B_TERM(k) +i##k * bs##k
#define C_TERM(k) +i##k * cs##k

#ifdef HAS_C
#define C_PARAMS , global const float *c, const long co EACH_ROW(C_STRIDE), const long cc, const float beta
#define ADD_C                                                             \
  {                                                                       \
    F t = load_lanes(c + (co EACH_ROW(C_TERM)) + column * cc, cc, 1);     \
    if (beta != 1.f) t = SET(beta) * t;                                   \
    value = value + t;                                                    \
  }
#else
#define C_PARAMS
#define ADD_C
#endif

ENTRY(gemm_direct)
    global float* y, const long yo EACH_ROW(Y_STRIDE), const long yc,              //
    global const float* a, const long ao EACH_ROW(A_STRIDE), const long ac,        //
    global const float* b, const long bo EACH_ROW(B_STRIDE), const long bc, const long bk,  //
    const long rows_of_item, const long columns, const long k_count, const float alpha EACH_ROW(ROW_DIM) C_PARAMS POST_PARAMS) {
  if (!live) return;
  local float at[16][33], bt[16][33];
  const int lx = get_local_id(0), ly = get_local_id(1), own = ly * 16 + lx;
  const long item = G2, row0 = (G1 - ly) * 2, column0 = (G0 - lx) * 2;
  // Each work-item loads rows own % 32 of the left side, whose place is the same for all k, and columns own % 32 of the right one.
  const long load_row = min(row0 + own % 32, rows_of_item - 1), load_column = min(column0 + own % 32, columns - 1);
  global const float *ap, *bp;
  {
    BEGIN_ROWS(item * rows_of_item + load_row)
    ap = a + (ao EACH_ROW(A_TERM));
    bp = b + (bo EACH_ROW(B_TERM)) + load_column * bc;
  }
  float acc[2][2] = {{0.f, 0.f}, {0.f, 0.f}}, sums[2][2] = {{0.f, 0.f}, {0.f, 0.f}};
  for (long k0 = 0; k0 < k_count; k0 += 16) {
    if (k0 > 0 && k0 % 128 == 0)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
          sums[i][j] = k0 == 128 ? acc[i][j] : sums[i][j] + acc[i][j];
          acc[i][j] = 0.f;
        }
    const int depth = (int)min(k_count - k0, 16L);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = own / 32; k < depth; k += 8) {
      at[k][own % 32] = ap[(k0 + k) * ac];
      bt[k][own % 32] = bp[(k0 + k) * bk];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < depth; ++k)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) acc[i][j] = fma(at[k][ly + 16 * i], bt[k][lx + 16 * j], acc[i][j]);
  }
  for (int i = 0; i < 2; ++i) {
    const long row = row0 + ly + 16 * i;
    if (row >= rows_of_item) break;
    BEGIN_ROWS(item * rows_of_item + row)
    global float* yp = y + (yo EACH_ROW(Y_TERM));
    POST_ROW
    for (int j = 0; j < 2; ++j) {
      const long column = column0 + lx + 16 * j;
      if (column >= columns) break;
      F value = k_count > 128 ? sums[i][j] + acc[i][j] : acc[i][j];
      if (alpha != 1.f) value = SET(alpha) * value;
      ADD_C
      POST(value, column, 1)
      store_lanes(value, yp + column * yc, yc, 1);
    }
  }
}
